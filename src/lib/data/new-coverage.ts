import { suggestSlug } from '../domain/coverages.ts';
import { isUuid } from '../domain/paths.ts';
import { isTimeZone, timeZoneFrom } from '../domain/time.ts';
import { Refused, refusal } from '../i18n/refusals.ts';
import { fieldText } from './forms.ts';
import { type BackendClient, dataOf } from './result.ts';
import { utcFromLocal } from './scheduling.ts';
import type { SitePlace } from './site.ts';

/**
 * Values of the form for a new coverage. `idempotency_key` and `id` are created with the form, so that submitting it twice creates
 * one coverage.
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
  const content = { slug, headline, kicker, standfirst, time_zone, language, ...startOf(form) };
  const created = await dataOf(backend.rpc('create_coverage', { idempotency_key, coverage_id: id, content }));
  return (created as { slug: string }).slug;
}

function startOf({ starts_at, time_zone }: NewCoverage): { starts_at?: string } {
  if (starts_at === '') return {};
  // An unknown zone is rejected by the database.
  if (!isTimeZone(time_zone)) return {};
  const moment = utcFromLocal(starts_at, time_zone);
  if (!moment)
    throw new Refused(
      refusal('invalid', { field: 'starts_at', message: ({ desk }) => desk.make.startsWrong }),
    );
  return { starts_at: moment };
}
