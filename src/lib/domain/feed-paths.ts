import type { Declared } from './paths.ts';

/** The two that are written; what else there is (RSS) can neither retract nor say that something was changed. */
export type Format = 'atom' | 'json';

export const FORMATS = {
  atom: { name: 'Atom', type: 'application/atom+xml' },
  json: { name: 'JSON Feed', type: 'application/feed+json' },
} as const satisfies Record<Format, { name: string; type: string }>;

/** What a feed is of, as the path that its address begins with: the site, a coverage, a topic. */
export type Base = '' | `/live/${string}` | `/topics/${string}`;

/** The path of a feed's newest document, or of one of its archive by its name. */
export function feedPath(base: Base, format: Format, archive?: string): string {
  const path = `${base}/feed.${format}`;
  return archive === undefined ? path : `${path}?archive=${archive}`;
}

/** Both formats, as a page names them in its head. */
export const feedAlternates = (base: Base) =>
  (['atom', 'json'] as const).map((format) => ({
    type: FORMATS[format].type,
    title: FORMATS[format].name,
    path: feedPath(base, format),
  }));

/** Of a coverage: its updates from a number on, fifty by fifty. */
export const COVERAGE_ARCHIVES: Declared = { archive: /^[1-9]\d{0,7}$/ };

/** Of what has many coverages: a month (there is no year 0), and which of its parts where that is not the first. */
export const LIST_ARCHIVES: Declared = {
  archive: /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])(?:\.(?:[2-9]|[1-9]\d{1,4}))?$/,
};
