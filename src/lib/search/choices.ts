import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import type { SearchParameters } from './address.ts';

/** Something that a search can be kept to. */
export type Choice = { value: string; name: string };
export type Choices = Record<'coverage' | 'topic' | 'person', Choice[]>;

/** Of each at most so many are offered. */
const MOST = 60;

/** Coverages (the newest first), topics and people by name: what the form offers, with what is chosen among it. */
export async function readChoices(chosen: SearchParameters): Promise<Choices> {
  const [coverage, topic, person] = await Promise.all([
    withChosen(chosen.coverage, await coverages(), coverages),
    withChosen(chosen.topic, await topics(), topics),
    withChosen(chosen.person, await people(), people),
  ]);
  return { coverage, topic, person };
}

/** What is chosen and is not among those offered is asked for by itself; what is not there at all is told as it was asked for. */
async function withChosen(
  chosen: string | null,
  offered: Choice[],
  read: (one: string) => Promise<Choice[]>,
): Promise<Choice[]> {
  if (chosen === null || offered.some(({ value }) => value === chosen)) return offered;
  const [one = { value: chosen, name: chosen }] = await read(chosen);
  return [one, ...offered];
}

async function coverages(slug?: string): Promise<Choice[]> {
  const all = reader().from('coverages').select('value:slug, name:headline');
  const some = slug === undefined ? all.neq('state', 'scheduled') : all.eq('slug', slug);
  return dataOf(some.order('published_at', { ascending: false }).limit(MOST));
}

async function topics(slug?: string): Promise<Choice[]> {
  const all = reader().from('topics').select('value:slug, name');
  return dataOf((slug === undefined ? all : all.eq('slug', slug)).order('name').limit(MOST));
}

/** Those whose byline readers have seen: nobody else is shown to them. */
async function people(handle?: string): Promise<Choice[]> {
  const all = reader().from('people').select('value:handle, name:display_name');
  return dataOf((handle === undefined ? all : all.eq('handle', handle)).order('display_name').limit(MOST));
}
