import { readerClient } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';
import { readSite, rememberedSite } from '../data/site.ts';
import type { PublicState } from '../domain/reader-coverage.ts';
import { isDate, type SearchParameters } from '../domain/search-path.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { search as words } from '../i18n/search.ts';

/** A stretch of what was found; `marked` where it is what was looked for. */
export type Stretch = { text: string; marked: boolean };

/** What begins and ends a stretch that was looked for, as the database has it: no text of ours can hold these. */
const BEGINS = '\u0002';
const ENDS = '\u0003';

/** The stretches of a text with its marks. Marks that are out of place mark nothing, and none is ever shown. */
export function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  for (const piece of text.split(BEGINS)) {
    const end = piece.indexOf(ENDS);
    const isFirst = stretches.length === 0 && !text.startsWith(BEGINS);
    const marked = !isFirst && end >= 0 ? piece.slice(0, end) : '';
    add(stretches, marked, true);
    add(stretches, piece.slice(marked.length).replaceAll(ENDS, ''), false);
  }
  return stretches;
}

function add(stretches: Stretch[], text: string, marked: boolean): void {
  const last = stretches.at(-1);
  if (last?.marked === marked) last.text += text;
  else if (text) stretches.push({ text, marked });
}

/** Something that was found: a coverage, or an update of one. Marks stand in its texts (marks.ts). */
export type Hit = {
  coverage: {
    slug: string;
    headline: string;
    kicker: string;
    state: PublicState;
    language: string;
    time_zone: string;
  };
  headline: string | null;
  snippet: string;
  key_event: boolean;
  /** Null of a coverage that is still to come. */
  published_at: string | null;
  corrected: boolean;
} & ({ kind: 'coverage' } | { kind: 'update'; number: number });

export type Answer = {
  hits: Hit[];
  /** Counted up to LIMITS.search_counted. */
  total: number;
  /** Are there more on the next page? */
  more: boolean;
  page: number;
  /** The words that were looked for, where what was typed was not found as it was typed. */
  meant: string | null;
};

/**
 * What is found for a query.
 * @throws Refused `invalid` naming `query`, where there is no word in it
 */
export async function find({ q, page, ...where }: SearchParameters): Promise<Answer> {
  const given = Object.entries(where).filter(([, value]) => value !== null);
  const wanted = { query: q, ...Object.fromEntries(given), page: Number(page ?? 1) };
  // The database makes it: its types cannot say so.
  return (await dataOf(readerClient().rpc('search', { wanted }))) as unknown as Answer;
}

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
  const all = readerClient().from('coverages').select('value:slug, name:headline');
  const some = slug === undefined ? all.neq('state', 'scheduled') : all.eq('slug', slug);
  return dataOf(some.order('published_at', { ascending: false }).limit(MOST));
}

async function topics(slug?: string): Promise<Choice[]> {
  const all = readerClient().from('topics').select('value:slug, name');
  return dataOf((slug === undefined ? all : all.eq('slug', slug)).order('name').limit(MOST));
}

/** Those whose byline readers have seen: nobody else is shown to them. */
async function people(handle?: string): Promise<Choice[]> {
  const all = readerClient().from('people').select('value:handle, name:display_name');
  return dataOf((handle === undefined ? all : all.eq('handle', handle)).order('display_name').limit(MOST));
}

/** What is wrong with what was typed, by the name of the field. */
export type Problems = Partial<Record<'q' | 'from' | 'to', string>>;

/** Whoever asked while the backend did not answer may ask again after so many seconds. */
const AGAIN_S = 30;

/**
 * All that the page of a search shows. Where something is wrong with what was typed, or the backend does not answer,
 * the form is there with it: nothing has to be typed again.
 */
export async function search(asked: SearchParameters) {
  const [site, choices, found] = await Promise.all([
    readSite().catch(rememberedSite),
    readChoices(asked).catch(noChoices),
    tryFind(asked),
  ]);
  // Told only now: in which language, the site says.
  const days = dayProblems(asked);
  const isWrong = Object.keys(days).length > 0;
  const refused = found.refused ?? (isWrong ? refusal('invalid') : null);
  const problems: Problems = refused?.field === 'query' ? { q: words.noWord } : days;
  return { site, choices, answer: found.answer, problems, refused };
}

async function tryFind(asked: SearchParameters): Promise<{ answer: Answer | null; refused: Refusal | null }> {
  if (asked.q === null || hasWrongDay(asked)) return { answer: null, refused: null };
  try {
    return { answer: await find(asked), refused: null };
  } catch (error) {
    const refused = refusalOrThrow(error);
    return {
      answer: null,
      refused: refused.code === 'unavailable' ? { ...refused, retryAfter: AGAIN_S } : refused,
    };
  }
}

/** What the form offers is worth nothing while the backend does not answer, and no reason to show no form. */
function noChoices(error: unknown): Choices {
  refusalOrThrow(error);
  return { coverage: [], topic: [], person: [] };
}

const isWrongDay = (text: string | null): text is string => text !== null && !isDate(text);
const isBackwards = ({ from, to }: SearchParameters) => from !== null && to !== null && from > to;
const hasWrongDay = (asked: SearchParameters) =>
  isWrongDay(asked.from) || isWrongDay(asked.to) || isBackwards(asked);

function dayProblems(asked: SearchParameters): Problems {
  const { from, to } = asked;
  const problems: Problems = {
    ...(isWrongDay(from) && { from: words.noDay(from) }),
    ...(isWrongDay(to) && { to: words.noDay(to) }),
  };
  if (Object.keys(problems).length === 0 && isBackwards(asked)) problems.to = words.noSpan;
  return problems;
}
