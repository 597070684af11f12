import type { Body } from '../domain/body/blocks.ts';
import { parseBody } from '../domain/body/source.ts';
import { writeBody } from '../domain/body/write-source.ts';
import {
  BACKGROUND,
  contrast,
  isColour,
  isReadableAccent,
  type Scheme,
  TEXT_CONTRAST,
} from '../domain/colours.ts';
import { Constants, type Tables } from '../domain/database.types.ts';
import type { CoverageState } from '../domain/desk.ts';
import { LIMITS } from '../domain/limits.ts';
import type { SurgeMode } from '../domain/reader-coverage.ts';
import { timeZoneFrom } from '../domain/time.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, type RefusalMessage, Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { framesForm, parseFrames } from './coverage-settings.ts';
import {
  type FormValues,
  fieldText,
  meanwhileOf,
  type RejectedForm,
  rejectForm,
  requireUnchanged,
} from './forms.ts';
import { type BackendClient, dataOf, runCommand } from './result.ts';
import type { Site } from './site.ts';

/* Settings of the newsroom. Each part has a form of its own. */

/** Parts of the settings with the fields of each form. */
const SITE_PARTS = {
  identity: ['name', 'tagline', 'publisher', 'contact'],
  place: ['time_zone', 'language'],
  look: ['accent', 'accent_dark'],
  about: ['about'],
  embeds: ['frames', 'frame_sites'],
  advanced: ['reader_follow_mode', 'check_interval_seconds', 'offline_pages', 'quiet_hours'],
} as const;
export type SitePart = keyof typeof SITE_PARTS;
export type SiteField = (typeof SITE_PARTS)[SitePart][number];

/** Form values by field name. `about` is Markdown, `offline_pages` is `on` or empty. */
export type SiteValues = Record<SiteField, string>;

export const isSitePart = (name: string): name is SitePart => Object.hasOwn(SITE_PARTS, name);

/** Pages of the settings, in order. Those that are no parts have no values. */
export const SITE_SECTIONS = [
  'identity',
  'masthead',
  'place',
  'look',
  'about',
  'embeds',
  'mail',
  'wordpress',
  'filing',
  'data',
  'advanced',
] as const;
export type SiteSection = (typeof SITE_SECTIONS)[number];

export const isSiteSection = (name: string): name is SiteSection =>
  SITE_SECTIONS.some((section) => section === name);

/** Path of a page of the settings. */
export const siteSectionPath = (section: SiteSection): string => `/desk/site/${section}`;

const COLUMNS =
  'name, tagline, publisher, contact, time_zone, language, accent, accent_dark, about, reader_follow_mode, check_interval_seconds, offline_pages, quiet_hours, embed_origins';

/** Returns the current settings as form values. */
export async function readSiteValues(backend: BackendClient): Promise<SiteValues> {
  const row: Pick<
    Tables<'site'>,
    Exclude<SiteField, 'frames' | 'frame_sites'> | 'embed_origins'
  > = await dataOf(backend.from('site').select(COLUMNS).single());
  const { embed_origins: origins, ...values } = row;
  return {
    ...values,
    // The generated types do not know that the database validates the body.
    about: writeBody(row.about as Body),
    check_interval_seconds: String(row.check_interval_seconds),
    quiet_hours: String(row.quiet_hours),
    offline_pages: row.offline_pages ? 'on' : '',
    ...framesForm(origins),
  };
}

/** Returns the values of a part. */
export const sitePartValues = (part: SitePart, values: SiteValues): FormValues =>
  Object.fromEntries(SITE_PARTS[part].map((name) => [name, values[name]]));

/** Reads the submitted values of a part. A suggested colour that was chosen replaces the typed one. */
export function sentSiteValues(part: SitePart, form: FormData): Partial<SiteValues> {
  const submitted = SITE_PARTS[part].map((name) => [name, fieldText(form, name).trim()]);
  const suggested = ['accent', 'accent_dark'].flatMap((name) => {
    const colour = fieldText(form, `take_${name}`);
    return colour ? [[name, colour]] : [];
  });
  return Object.fromEntries([...submitted, ...suggested]);
}

export type RejectedSettings = RejectedForm;

/**
 * Saves a part of the settings, unless another person has saved it since the form was loaded.
 * @param values submitted values
 * @param rendered values that the form was loaded with
 * @param stored current values of all parts
 * @returns the rejection, or undefined
 */
export async function saveSite(
  messages: Messages,
  backend: BackendClient,
  part: SitePart,
  values: Partial<SiteValues>,
  rendered: FormValues | null,
  stored: SiteValues,
): Promise<RejectedSettings | undefined> {
  try {
    const content = contentOf(part, values);
    const current = sitePartValues(part, stored);
    // The form was sent twice, or another person saved the same values.
    if (hasContent(part, current, content)) return undefined;
    requireUnchanged(rendered, current, values);
    await runCommand(backend, 'save_site', { content });
    return undefined;
  } catch (error) {
    return { ...rejectForm(refusalOrThrow(error), messages), meanwhile: meanwhileOf(error) };
  }
}

/** Whether values have this content, which can be typed in several ways. */
function hasContent(part: SitePart, values: FormValues, content: Content): boolean {
  try {
    return JSON.stringify(contentOf(part, values)) === JSON.stringify(content);
  } catch (error) {
    // The values were stored under earlier rules.
    refusalOrThrow(error);
    return false;
  }
}

type Content = Record<string, string | number | boolean | Body | string[]>;

function contentOf(part: SitePart, values: Partial<SiteValues>): Content {
  switch (part) {
    case 'identity':
      return values;
    case 'place':
      return { time_zone: timeZoneFrom(values.time_zone ?? ''), language: values.language ?? '' };
    case 'look':
      return {
        accent: colourOf(values.accent ?? '', 'accent', 'light'),
        accent_dark: colourOf(values.accent_dark ?? '', 'accent_dark', 'dark'),
      };
    case 'about':
      return { about: parseBody(values.about ?? '') };
    case 'advanced':
      return {
        reader_follow_mode: values.reader_follow_mode ?? '',
        check_interval_seconds: numberOf(
          values,
          'check_interval_seconds',
          LIMITS.check_interval_min,
          LIMITS.check_interval_max,
        ),
        offline_pages: values.offline_pages === 'on',
        quiet_hours: numberOf(values, 'quiet_hours', LIMITS.quiet_hours_min, LIMITS.quiet_hours_max),
      };
    case 'embeds':
      return { embed_origins: parseFrames(values) };
  }
}

const invalidField = (field: SiteField, message: RefusalMessage) =>
  new Refused('invalid', { field, message });

function numberOf(values: Partial<SiteValues>, field: SiteField, min: number, max: number): number {
  const number = Number(values[field] || 'none');
  if (!Number.isInteger(number) || number < min || number > max)
    throw invalidField(field, ({ newsroomSettings }) => newsroomSettings.intervalWrong(min, max));
  return number;
}

function colourOf(typed: string, field: SiteField, scheme: Scheme): string {
  const colour = typed.toLowerCase();
  if (colour === '') return '';
  if (!isColour(colour)) throw invalidField(field, ({ newsroomSettings }) => newsroomSettings.noColour);
  if (!isReadableAccent(colour, scheme)) {
    throw invalidField(field, (messages) =>
      messages.newsroomSettings.tooFaint(
        contrastText(messages, colour, scheme),
        ratioText(messages, TEXT_CONTRAST),
      ),
    );
  }
  return colour;
}

const ratioText = (messages: Messages, ratio: number) =>
  new Intl.NumberFormat(messages.language, { maximumFractionDigits: 1 }).format(ratio);

/**
 * Returns the contrast of a colour with its background, such as `3.1`. Rounded down, so that a failing value does not
 * look like a passing one.
 */
export const contrastText = (messages: Messages, colour: string, scheme: Scheme): string =>
  ratioText(messages, Math.floor(contrast(colour, BACKGROUND[scheme]) * 10) / 10);

/** Returns the colours for the samples: the typed values, if they are valid. */
export function sampleColours(values: Partial<SiteValues>): { accent: string; accent_dark: string } {
  const shown = (typed = '') => (isColour(typed.toLowerCase()) ? typed.toLowerCase() : '');
  return { accent: shown(values.accent), accent_dark: shown(values.accent_dark) };
}

/** Returns the status message of a part if the URL names it. */
export function settingsMessage(messages: Messages, url: URL, part: SitePart): string | undefined {
  return url.searchParams.get('done') === part ? messages.newsroomSettings.done[part] : undefined;
}

export const SURGE_MODES: readonly SurgeMode[] = Constants.public.Enums.surge_mode;

/**
 * Sets the surge mode from a form. Always saves, because the mode may have changed since the form was rendered.
 * @returns the refusal, or undefined
 */
export async function setSurge(backend: BackendClient, form: FormData): Promise<Refusal | undefined> {
  const mode = SURGE_MODES.find((mode) => mode === fieldText(form, 'mode'));
  if (!mode) return refusal('invalid', { field: 'mode', message: ({ surge }) => surge.choose });
  return runCommand(backend, 'set_surge', { mode }).then(() => undefined, refusalOrThrow);
}

/** Number of positions that the form offers. The first one is the lead. */
export const FRONT_PAGE_POSITIONS = 6;

/** Number of coverages that the form lists, the arranged ones included. */
const LISTED_COVERAGES = 30;

const PUBLIC_STATES: CoverageState[] = ['scheduled', 'live', 'paused', 'ended', 'archived'];
const ARRANGEMENT_COLUMNS = 'id, slug, headline, state, language, front_page_position' as const;

type ArrangedCoverage = Awaited<ReturnType<typeof readArrangement>>[number];

/** Returns the coverages that the front page can show: arranged ones in their order, then the newest ones. */
export function readArrangement(backend: BackendClient) {
  return dataOf(
    backend
      .from('coverages')
      .select(ARRANGEMENT_COLUMNS)
      .in('state', PUBLIC_STATES)
      .order('front_page_position', { nullsFirst: false })
      .order('published_at', { ascending: false, nullsFirst: true })
      .limit(LISTED_COVERAGES),
  );
}

/** Name of the form's field for a coverage. */
export const positionField = (id: string) => `position-${id}`;

/**
 * Saves the positions of a submitted form. Gaps close: the coverages at 2 and 5 become the first and second.
 * @throws Refused `invalid` if two coverages have the same position
 */
export async function arrangeFrontPage(
  backend: BackendClient,
  form: FormData,
  coverages: Pick<ArrangedCoverage, 'id'>[],
): Promise<void> {
  const positions = new Map<number, string>();
  for (const { id } of coverages) {
    const position = Number(fieldText(form, positionField(id)));
    if (!Number.isInteger(position) || position < 1) continue;
    if (positions.has(position))
      throw new Refused('invalid', {
        field: positionField(id),
        message: ({ desk }) => desk.frontPage.repeated(position),
      });
    positions.set(position, id);
  }
  const coverage_ids = [...positions].sort(([a], [b]) => a - b).map(([, id]) => id);
  await runCommand(backend, 'arrange_front_page', { coverage_ids });
}

/* The steps that remain after setup, for owners. */

/** Name of a site before it is changed: the default of the database. */
const DEFAULT_NAME = 'Stoppress';

type SetupStep = {
  name: 'name' | 'place' | 'look' | 'invite' | 'coverage';
  path: string;
  isDone: boolean;
};

/** Returns the steps with their states; undefined when all are done or an owner has hidden the list. */
export async function readChecklist(
  backend: BackendClient,
  site: Pick<Site, 'name' | 'accent' | 'accent_dark' | 'setup_checklist'>,
): Promise<SetupStep[] | undefined> {
  if (!site.setup_checklist) return undefined;
  const [invites, coverages] = await Promise.all([
    dataOf(backend.from('desk_invites').select('id').limit(1)),
    dataOf(backend.from('coverages').select('id').limit(1)),
  ]);
  const steps: SetupStep[] = [
    { name: 'name', path: siteSectionPath('identity'), isDone: site.name !== DEFAULT_NAME },
    // The setup form, which turns the list on, asks for both.
    { name: 'place', path: siteSectionPath('place'), isDone: true },
    { name: 'look', path: siteSectionPath('look'), isDone: Boolean(site.accent || site.accent_dark) },
    { name: 'invite', path: '/desk/people/invite', isDone: invites.length > 0 },
    { name: 'coverage', path: '/desk/new', isDone: coverages.length > 0 },
  ];
  return steps.every(({ isDone }) => isDone) ? undefined : steps;
}

/**
 * Hides the list for all owners.
 * @returns the refusal, or undefined
 */
export function dismissChecklist(backend: BackendClient): Promise<Refusal | undefined> {
  const content = { setup_checklist: false };
  return runCommand(backend, 'save_site', { content }).then(() => undefined, refusalOrThrow);
}
