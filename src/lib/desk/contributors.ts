import { Refused, refusal } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { dataOf } from '../supabase/answer.ts';
import { settings as words } from '../text/settings.ts';
import type { Backend } from './read.ts';
import type { CoverageSettings } from './settings.ts';
import { zonedTime } from './zoned-time.ts';

/** Somebody with a place in a coverage, now or once; of those who were searched for `expires_at` may be null. */
export type Contributor = Awaited<ReturnType<typeof readContributors>>[number];

/** Those who have or had a place; with `search`, contributors by name or handle. @throws Refused `forbidden` */
export async function readContributors(backend: Backend, coverage: string, search?: string) {
  const rows = await dataOf(
    backend.rpc('coverage_people', { coverage_id: coverage, ...(search ? { search } : {}) }),
  );
  return rows.map((row) => ({
    ...row,
    expires_at: row.expires_at as string | null,
    added_by: row.added_by as string | null,
  }));
}

export const CONTRIBUTOR_FORMS = ['added', 'extended', 'removed'] as const;
export type ContributorForm = (typeof CONTRIBUTOR_FORMS)[number];
export const isContributorForm = (name: string): name is ContributorForm =>
  CONTRIBUTOR_FORMS.some((form) => form === name);

/** A time that has passed ends a place now. */
const LONG_AGO = '1970-01-01T00:00:00Z';

/** Lets somebody in, sets their last day or takes their place away. @throws Refused naming `day` */
export async function setContributor(
  backend: Backend,
  { id, time_zone }: CoverageSettings,
  act: ContributorForm,
  form: FormData,
): Promise<void> {
  const day = textOf(form, 'day').trim();
  const expires_at = act === 'removed' ? LONG_AGO : day === '' ? undefined : endOf(day, time_zone);
  const who = { coverage_id: id, person_id: textOf(form, 'person'), ...(expires_at && { expires_at }) };
  await dataOf(backend.rpc('set_coverage_member', { op: crypto.randomUUID(), ...who }));
}

/** The last minute of a day, by the clocks of a zone. */
function endOf(day: string, timeZone: string): string {
  const moment = zonedTime(`${day}T23:59`, timeZone);
  if (!moment || Date.parse(moment) <= Date.now())
    throw new Refused(refusal('invalid', { field: 'day', sentence: words.people.dayWrong }));
  return moment;
}
