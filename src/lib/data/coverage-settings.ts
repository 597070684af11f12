import { suggestSlug } from '../domain/coverages.ts';
import type { Enums } from '../domain/database.types.ts';
import { LIMITS } from '../domain/limits.ts';
import { localTime, utcFromLocal } from '../domain/local-time.ts';
import { isUuid } from '../domain/paths.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import { isTimeZone, timeZoneFrom } from '../domain/time.ts';
import { type RefusalMessage, Refused } from '../i18n/refusals.ts';
import { type FormValues, fieldText } from './forms.ts';
import { type BackendClient, dataOf, runCommand } from './result.ts';
import type { SitePlace } from './site.ts';
import { PHOTO_COLUMNS } from './updates.ts';

/* Settings of a coverage. Each section has a form of its own. */

/** Sections of a coverage's settings with the fields of each form. */
export const COVERAGE_SECTIONS = {
  words: ['headline', 'kicker', 'standfirst'],
  lead: ['lead_photo'],
  address: ['slug'],
  place: ['time_zone', 'language', 'starts_at'],
  topics: ['topics'],
  following: ['reader_follow_mode', 'check_interval_seconds'],
  canonical: ['canonical_url'],
} as const;
export type CoverageSection = keyof typeof COVERAGE_SECTIONS;

export const isCoverageSection = (name: string): name is CoverageSection =>
  Object.hasOwn(COVERAGE_SECTIONS, name);

/** The settings of a coverage. `topics` are the sorted slugs of its topics. */
export type CoverageSettings = NonNullable<Awaited<ReturnType<typeof readCoverageSettings>>>;

const COLUMNS =
  `id, slug, kicker, headline, standfirst, state, time_zone, language, starts_at, reader_follow_mode, check_interval_seconds,
  lead_photo, canonical_url, version, coverage_topics(topics(slug))` as const;

/** Returns the settings of a coverage; null if the caller may not see a coverage with this slug. */
export async function readCoverageSettings(backend: BackendClient, slug: string) {
  const row = await dataOf(backend.from('coverages').select(COLUMNS).eq('slug', slug).maybeSingle());
  if (!row) return null;
  const { coverage_topics, ...coverage } = row;
  return { ...coverage, topics: coverage_topics.map(({ topics }) => topics.slug).sort() };
}

/** Returns the initial values of a section's form. */
export function settingsValues(section: CoverageSection, coverage: CoverageSettings): FormValues {
  const all: Record<string, string> = {
    headline: coverage.headline,
    kicker: coverage.kicker,
    standfirst: coverage.standfirst,
    slug: coverage.slug,
    time_zone: coverage.time_zone,
    language: coverage.language,
    starts_at: coverage.starts_at ? localTime(coverage.starts_at, coverage.time_zone) : '',
    lead_photo: coverage.lead_photo ?? '',
    topics: coverage.topics.join(' '),
    reader_follow_mode: coverage.reader_follow_mode ?? '',
    check_interval_seconds: coverage.check_interval_seconds?.toString() ?? '',
    canonical_url: coverage.canonical_url ?? '',
  };
  return Object.fromEntries(COVERAGE_SECTIONS[section].map((name) => [name, all[name] ?? '']));
}

/** Reads the submitted values of a section. Each topic is a field of its own. */
export function submittedValues(section: CoverageSection, form: FormData): FormValues {
  if (section === 'topics') return { topics: form.getAll('topics').map(String).sort().join(' ') };
  return Object.fromEntries(COVERAGE_SECTIONS[section].map((name) => [name, fieldText(form, name).trim()]));
}

/**
 * Converts the values of a section to arguments of `save_coverage`.
 * @param shown stored values. An unchanged start time keeps its seconds.
 * @throws Refused naming the invalid field
 */
export function settingsContent(
  section: CoverageSection,
  values: FormValues,
  shown: FormValues,
): Record<string, string | number | string[] | null> {
  switch (section) {
    case 'topics': {
      const topics = (values.topics ?? '').split(' ').filter(Boolean);
      if (topics.length > LIMITS.topics)
        throw invalidField('topics', ({ settings }) => settings.topics.tooMany(LIMITS.topics));
      return { topics };
    }
    case 'following':
      return {
        reader_follow_mode: (values.reader_follow_mode || null) as Enums<'reader_follow_mode'> | null,
        check_interval_seconds: intervalOf(values.check_interval_seconds ?? ''),
      };
    case 'place': {
      const { language = '', starts_at = '' } = values;
      const time_zone = timeZoneFrom(values.time_zone ?? '');
      const isSame = starts_at === shown.starts_at && time_zone === shown.time_zone;
      return { time_zone, language, ...(isSame ? {} : { starts_at: startOf(starts_at, time_zone) }) };
    }
    default:
      return values;
  }
}

function intervalOf(text: string): number | null {
  if (text === '') return null;
  const { check_interval_min: min, check_interval_max: max } = LIMITS;
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < min || seconds > max)
    throw invalidField('check_interval_seconds', ({ desk }) => desk.following.intervalWrong(min, max));
  return seconds;
}

/** Returns null for an unknown zone: the database rejects it. */
function startOf(local: string, timeZone: string): string | null {
  if (local === '' || !isTimeZone(timeZone)) return null;
  const moment = utcFromLocal(local, timeZone);
  if (!moment) throw invalidField('starts_at', ({ desk }) => desk.make.startsWrong);
  return moment;
}

const invalidField = (field: string, message: RefusalMessage) => new Refused('invalid', { field, message });

/** Number of photos from which a lead photo can be chosen. */
const LEAD_PHOTO_CHOICES = 24;

/** Returns the newest photos that readers see in a coverage, and its lead photo. */
export async function readLeadPhotoChoices(
  backend: BackendClient,
  { id, lead_photo }: CoverageSettings,
): Promise<ReaderPhoto[]> {
  const published = () => backend.from('photos').select(PHOTO_COLUMNS).eq('coverage_id', id);
  const [newest, lead] = await Promise.all([
    dataOf(published().order('ready_at', { ascending: false }).limit(LEAD_PHOTO_CHOICES)),
    lead_photo ? dataOf(published().eq('id', lead_photo)) : [],
  ]);
  const others = newest.filter((photo) => photo.id !== lead_photo);
  // Policies show only photos that are ready and have an alt text, which the types do not know.
  return [...lead, ...others] as ReaderPhoto[];
}

/**
 * Sets the lead photo of a coverage.
 * @param photo id of a photo, or an empty text for the photo that is chosen automatically
 * @throws Refused naming `lead_photo`
 */
export async function setLeadPhoto(backend: BackendClient, coverageId: string, photo: string): Promise<void> {
  if (photo !== '' && !isUuid(photo))
    throw invalidField('lead_photo', ({ settings }) => settings.lead.choose);
  await runCommand(backend, 'set_lead_photo', {
    coverage_id: coverageId,
    ...(photo ? { photo_id: photo } : {}),
  });
}

/**
 * Sets the canonical address of a coverage.
 * @param url an https address, or an empty text for the live page
 * @throws Refused naming `canonical_url`
 */
export async function setCanonicalUrl(
  backend: BackendClient,
  coverageId: string,
  url: string,
): Promise<void> {
  // Normalised: without a fragment, and in ASCII.
  const parsed = URL.parse(url);
  if (parsed) parsed.hash = '';
  await runCommand(backend, 'set_canonical_url', {
    coverage_id: coverageId,
    ...(url ? { url: parsed?.href ?? url } : {}),
  });
}

/** A current or former contributor of a coverage. `expires_at` is null for search results that never were. */
export type Contributor = Awaited<ReturnType<typeof readContributors>>[number];

/**
 * Returns the contributors of a coverage; with `search`, all contributors by name or handle.
 * @throws Refused `forbidden`
 */
export async function readContributors(backend: BackendClient, coverage: string, search?: string) {
  const rows = await dataOf(
    backend.rpc('coverage_people', { coverage_id: coverage, ...(search ? { search } : {}) }),
  );
  return rows.map((row) => ({
    ...row,
    expires_at: row.expires_at as string | null,
    added_by: row.added_by as string | null,
  }));
}

const CONTRIBUTOR_FORMS = ['added', 'extended', 'removed'] as const;
type ContributorForm = (typeof CONTRIBUTOR_FORMS)[number];
export const isContributorForm = (name: string): name is ContributorForm =>
  CONTRIBUTOR_FORMS.some((form) => form === name);

/** An expiry in the past ends a membership now. */
const EXPIRED = '1970-01-01T00:00:00Z';

/**
 * Adds a contributor, changes the last day of the membership or ends it.
 * @throws Refused naming `day`
 */
export async function setContributor(
  backend: BackendClient,
  { id, time_zone }: CoverageSettings,
  action: ContributorForm,
  form: FormData,
): Promise<void> {
  const day = fieldText(form, 'day').trim();
  const expires_at = action === 'removed' ? EXPIRED : day === '' ? undefined : endOf(day, time_zone);
  const membership = {
    coverage_id: id,
    person_id: fieldText(form, 'person'),
    ...(expires_at && { expires_at }),
  };
  await runCommand(backend, 'set_coverage_member', { ...membership });
}

/** Returns the last minute of a day in a time zone. */
function endOf(day: string, timeZone: string): string {
  const moment = utcFromLocal(`${day}T23:59`, timeZone);
  if (!moment || Date.parse(moment) <= Date.now())
    throw invalidField('day', ({ settings }) => settings.people.dayWrong);
  return moment;
}

/* Sites that may show the coverage in a frame, as the form edits them: a choice, and one site a line. */

export const FRAME_CHOICES = ['anybody', 'nobody', 'sites'] as const;

type FramesForm = { frames: string; frame_sites: string };

export function framesForm(frames: string[]): FramesForm {
  if (frames.includes('*')) return { frames: 'anybody', frame_sites: '' };
  return { frames: frames.length === 0 ? 'nobody' : 'sites', frame_sites: frames.join('\n') };
}

/**
 * Converts the form to the stored list. People may enter host names or URLs of pages; only the origin is used.
 * @throws Refused naming the first invalid line
 */
export function parseFrames({ frames, frame_sites = '' }: Partial<FramesForm>): string[] {
  if (frames === 'anybody') return ['*'];
  if (frames !== 'sites') return [];
  const lines = frame_sites.split(/[\s,;]+/).filter(Boolean);
  if (lines.length === 0) throw invalidField('frame_sites', ({ embed }) => embed.noSites);
  const sites = [...new Set(lines.map(originOf))];
  if (sites.length > LIMITS.embed_origins)
    throw invalidField('frame_sites', ({ embed }) => embed.tooMany(LIMITS.embed_origins));
  return sites;
}

function originOf(line: string): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(line) ? line : `https://${line}`);
  const { hostname = '', origin = '' } = url ?? {};
  const isHere = origin.startsWith('http:') && /^(localhost|127\.0\.0\.1)$/.test(hostname);
  const isSite = origin.startsWith('https:') && /^(\*\.(?=[^.]+\.))?[a-z0-9.-]+$/.test(hostname);
  if (!isHere && !isSite) throw invalidField('frame_sites', ({ embed }) => embed.noSite(line));
  return origin;
}

/**
 * Values of the form for a new coverage. `idempotency_key` and `id` are created with the form, so that submitting it
 * twice creates one coverage.
 */
export type NewCoverage = Record<CoverageField | 'idempotency_key' | 'id', string>;

export const NEW_COVERAGE_FIELDS = [
  'headline',
  'slug',
  'kicker',
  'standfirst',
  'time_zone',
  'language',
  'starts_at',
] as const;

export type CoverageField = (typeof NEW_COVERAGE_FIELDS)[number];

export function isCoverageField(name: string | undefined): name is CoverageField {
  return NEW_COVERAGE_FIELDS.some((field) => field === name);
}

/** Returns the values of an empty form: language and time zone of the site. */
export function emptyNewCoverage({ language, time_zone }: SitePlace): NewCoverage {
  return {
    idempotency_key: crypto.randomUUID(),
    id: crypto.randomUUID(),
    ...{ headline: '', slug: '', kicker: '', standfirst: '', starts_at: '' },
    time_zone,
    language,
  };
}

/** Reads the submitted form. Replaces invalid ids by new ones. */
export function readNewCoverage(form: FormData): NewCoverage {
  const text = (name: string) => fieldText(form, name).trim();
  const values = Object.fromEntries(NEW_COVERAGE_FIELDS.map((field) => [field, text(field)]));
  return {
    ...emptyNewCoverage({ language: 'en', time_zone: 'UTC' }),
    ...values,
    time_zone: timeZoneFrom(text('time_zone')),
    ...(isUuid(text('idempotency_key')) ? { idempotency_key: text('idempotency_key') } : {}),
    ...(isUuid(text('id')) ? { id: text('id') } : {}),
  };
}

/**
 * Creates a coverage in the state draft.
 * @returns its slug
 * @throws Refused naming the invalid field
 */
export async function createCoverage(backend: BackendClient, form: NewCoverage): Promise<string> {
  const { idempotency_key, id, headline, kicker, standfirst, time_zone, language } = form;
  const slug = form.slug || suggestSlug(headline);
  const content = { slug, headline, kicker, standfirst, time_zone, language, ...newCoverageStart(form) };
  const created = await dataOf(backend.rpc('create_coverage', { idempotency_key, coverage_id: id, content }));
  return (created as { slug: string }).slug;
}

function newCoverageStart({ starts_at, time_zone }: NewCoverage): { starts_at?: string } {
  const moment = startOf(starts_at, time_zone);
  return moment ? { starts_at: moment } : {};
}

/* Topics, which the settings of a coverage also edit. */

export type Topic = { slug: string; name: string; description: string };

/** Returns the initial values of the form that changes a topic. */
export const topicValues = ({ name, description }: Topic): FormValues => ({ name, description });

/** Maximum number of topics on the settings page. No newsroom has as many. */
const MAX_TOPICS = 500;

/** Returns all topics by name. */
export async function readTopics(backend: BackendClient): Promise<Topic[]> {
  return dataOf(backend.from('topics').select('slug, name, description').order('name').limit(MAX_TOPICS));
}

/**
 * Changes the name and description of a topic.
 * @throws Refused naming the invalid field
 */
export async function updateTopic(backend: BackendClient, topic: Topic): Promise<void> {
  await runCommand(backend, 'save_topic', { ...topic });
}

/**
 * Creates a topic. Without a slug, one is made from the name.
 * @returns its slug
 * @throws Refused naming `slug` if it is in use
 */
export async function createTopic(backend: BackendClient, topic: Topic): Promise<string> {
  const slug = topic.slug || suggestSlug(topic.name);
  const existing = await dataOf(
    backend.from('topics').select('name, description').eq('slug', slug).maybeSingle(),
  );
  // The same topic may have been submitted twice.
  if (existing && (existing.name !== topic.name || existing.description !== topic.description))
    throw invalidField('slug', ({ settings }) => settings.topics.slugInUse);
  await runCommand(backend, 'save_topic', { ...topic, slug });
  return slug;
}
