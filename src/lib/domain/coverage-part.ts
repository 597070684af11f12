import { ANY_VALUE, pathWith, pickParameters, type QueryParameters } from './paths.ts';

/* Parameters of `/live/SLUG/part`, the coverage as a fragment for the pages of another site (docs/embedding.md). */

/**
 * Layouts of a part.
 * - `full`: the summary and the newest updates, complete.
 * - `summary`: the summary and the key events.
 * - `newest`: the newest updates as lines.
 * - `strip`: one line with the newest urgent update, or else with the newest update.
 */
const PART_LAYOUTS = ['full', 'summary', 'newest', 'strip'] as const;
type PartLayout = (typeof PART_LAYOUTS)[number];

/** Number of updates in the layout `full`. */
const UPDATES = { default: 10, max: 50 } as const;

/** Levels of the first heading. Headings below it have the next level. */
const HEADINGS = [2, 3, 4] as const;
type HeadingLevel = (typeof HEADINGS)[number];

export type PartRequest = { layout: PartLayout; updates: number; heading: HeadingLevel };

/** Query parameters of a part. All others are dropped. */
export const PART_PARAMETERS = {
  layout: ANY_VALUE,
  updates: ANY_VALUE,
  heading: ANY_VALUE,
} as const satisfies QueryParameters;
type PartParameter = keyof typeof PART_PARAMETERS;

type PartValues = Partial<Record<string, string | null>>;

/** Parses the parameters of a request. Names the first invalid one instead. */
export function parsePartRequest(parameters: URLSearchParams): PartRequest | { invalid: PartParameter } {
  return parseValues(pickParameters(parameters, PART_PARAMETERS));
}

function parseValues({ layout, updates, heading }: PartValues): PartRequest | { invalid: PartParameter } {
  const name = PART_LAYOUTS.find((one) => one === (layout ?? 'full'));
  if (!name) return { invalid: 'layout' };
  const count = Number(updates ?? UPDATES.default);
  if (!/^\d{1,2}$/.test(updates ?? '1') || count < 1 || count > UPDATES.max) return { invalid: 'updates' };
  const level = HEADINGS.find((one) => `${one}` === (heading ?? '2'));
  if (!level) return { invalid: 'heading' };
  return { layout: name, updates: count, heading: level };
}

/**
 * Normalises the parameters, so that equal requests have one cache key: without defaults and without parameters that
 * make no difference. Of an invalid request only the invalid parameter remains, empty.
 */
export function normalizePart(values: Record<string, string | null>): Record<string, string | null> {
  const request = parseValues(values);
  if ('invalid' in request) return { [request.invalid]: '' };
  const { layout, updates, heading } = request;
  return {
    layout: layout === 'full' ? null : layout,
    updates: layout === 'full' && updates !== UPDATES.default ? `${updates}` : null,
    heading: layout !== 'strip' && heading !== 2 ? `${heading}` : null,
  };
}

/** Path of a part with its normalised parameters. */
export const partPath = (slug: string, parameters: URLSearchParams): string =>
  pathWith(`/live/${slug}/part`, normalizePart(pickParameters(parameters, PART_PARAMETERS)));
