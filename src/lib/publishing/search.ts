import { readerClient } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';
import { readSite, rememberedSite } from '../data/site.ts';
import type { PublicState } from '../domain/reader-coverage.ts';
import { isDate, type SearchParameters } from '../domain/search-path.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { search as words } from '../i18n/search.ts';

/** A part of a search result; `marked` if it matches the query. */
export type Stretch = { text: string; marked: boolean };

/** Characters that surround a match in the database's answer. No stored text can contain them. */
const BEGINS = '\u0002';
const ENDS = '\u0003';

/** Splits a text at its marks. Unbalanced marks are dropped. */
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

/** A coverage or update that matches a search. Its texts contain marks. */
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
  /** Null for a scheduled coverage. */
  published_at: string | null;
  corrected: boolean;
} & ({ kind: 'coverage' } | { kind: 'update'; number: number });

export type Answer = {
  hits: Hit[];
  /** Counting stops at LIMITS.search_counted. */
  total: number;
  /** Whether there is another page. */
  more: boolean;
  page: number;
  /** The corrected query, if the query itself had no results. */
  meant: string | null;
};

/**
 * Searches coverages and updates.
 * @throws Refused `invalid` naming `query` if the query contains no word
 */
export async function find({ q, page, ...where }: SearchParameters): Promise<Answer> {
  const given = Object.entries(where).filter(([, value]) => value !== null);
  const wanted = { query: q, ...Object.fromEntries(given), page: Number(page ?? 1) };
  // The generated types do not know the shape of the JSON.
  return (await dataOf(readerClient().rpc('search', { wanted }))) as unknown as Answer;
}

/** An option of a filter. */
export type Choice = { value: string; name: string };
export type Choices = Record<'coverage' | 'topic' | 'person', Choice[]>;

/** Maximum number of options. */
const MOST = 60;

/**
 * Returns the options of the filters: coverages (newest first), topics and people by name, including the selected
 * ones.
 */
export async function readChoices(chosen: SearchParameters): Promise<Choices> {
  const [coverage, topic, person] = await Promise.all([
    withChosen(chosen.coverage, await coverages(), coverages),
    withChosen(chosen.topic, await topics(), topics),
    withChosen(chosen.person, await people(), people),
  ]);
  return { coverage, topic, person };
}

/** Adds the selected option if it is not among the first ones. An unknown value is shown as it is. */
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

/** Only people with a public byline. */
async function people(handle?: string): Promise<Choice[]> {
  const all = readerClient().from('people').select('value:handle, name:display_name');
  return dataOf((handle === undefined ? all : all.eq('handle', handle)).order('display_name').limit(MOST));
}

/** Error messages by field. */
export type Problems = Partial<Record<'q' | 'from' | 'to', string>>;

/** Seconds after which a failed search may be repeated. */
const AGAIN_S = 30;

/** Returns the content of the search page. If the input is invalid or the backend fails, the form keeps its values. */
export async function search(asked: SearchParameters) {
  const [site, choices, found] = await Promise.all([
    readSite().catch(rememberedSite),
    readChoices(asked).catch(noChoices),
    tryFind(asked),
  ]);
  // Evaluated after the site was read, which sets the language of the messages.
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

/** Without the backend, the form is shown without options. */
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
