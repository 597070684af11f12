import { readerClient } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';
import { readSite, rememberedSite } from '../data/site.ts';
import type { PublicState } from '../domain/reader-coverage.ts';
import { isDate, type SearchParameters } from '../domain/search.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';

/** A part of a search result; `marked` if it matches the query. */
type SearchSpan = { text: string; marked: boolean };

/** Characters that surround a match in the database's answer. No stored text can contain them. */
const MATCH_START = '\u0002';
const MATCH_END = '\u0003';

/** Splits a text at its marks. Unbalanced marks are dropped. */
export function searchSpans(text: string): SearchSpan[] {
  const spans: SearchSpan[] = [];
  for (const piece of text.split(MATCH_START)) {
    const end = piece.indexOf(MATCH_END);
    const isFirst = spans.length === 0 && !text.startsWith(MATCH_START);
    const marked = !isFirst && end >= 0 ? piece.slice(0, end) : '';
    addSpan(spans, marked, true);
    addSpan(spans, piece.slice(marked.length).replaceAll(MATCH_END, ''), false);
  }
  return spans;
}

function addSpan(spans: SearchSpan[], text: string, marked: boolean): void {
  const last = spans.at(-1);
  if (last?.marked === marked) last.text += text;
  else if (text) spans.push({ text, marked });
}

/** A coverage or update that matches a search. Its texts contain marks. */
type SearchHit = {
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

type SearchResults = {
  hits: SearchHit[];
  /** Counting stops at LIMITS.search_counted. */
  total: number;
  /** Whether there is another page. */
  more: boolean;
  page: number;
  /** The corrected query, if the query itself had no results. */
  corrected_query: string | null;
};

/**
 * Searches coverages and updates.
 * @throws Refused `invalid` naming `query` if the query contains no word
 */
async function searchIndex({ q, page, ...others }: SearchParameters): Promise<SearchResults> {
  const filters = Object.entries(others).filter(([, value]) => value !== null);
  const query = { query: q, ...Object.fromEntries(filters), page: Number(page ?? 1) };
  // The generated types do not know the shape of the JSON.
  return (await dataOf(readerClient().rpc('search', { filters: query }))) as unknown as SearchResults;
}

/** An option of a filter. */
type FilterOption = { value: string; name: string };
type FilterOptions = Record<'coverage' | 'topic' | 'person', FilterOption[]>;

/** Maximum number of options. */
const MAX_OPTIONS = 60;

/**
 * Returns the options of the filters: coverages (newest first), topics and people by name, including the selected
 * ones.
 */
async function readFilterOptions(selected: SearchParameters): Promise<FilterOptions> {
  const [coverage, topic, person] = await Promise.all([
    withSelected(selected.coverage, await coverages(), coverages),
    withSelected(selected.topic, await topics(), topics),
    withSelected(selected.person, await people(), people),
  ]);
  return { coverage, topic, person };
}

/** Adds the selected option if it is not among the first ones. An unknown value is shown as it is. */
async function withSelected(
  selected: string | null,
  options: FilterOption[],
  read: (option: string) => Promise<FilterOption[]>,
): Promise<FilterOption[]> {
  if (selected === null || options.some(({ value }) => value === selected)) return options;
  const [option = { value: selected, name: selected }] = await read(selected);
  return [option, ...options];
}

async function coverages(slug?: string): Promise<FilterOption[]> {
  const all = readerClient().from('coverages').select('value:slug, name:headline');
  const matching = slug === undefined ? all.neq('state', 'scheduled') : all.eq('slug', slug);
  return dataOf(matching.order('published_at', { ascending: false }).limit(MAX_OPTIONS));
}

async function topics(slug?: string): Promise<FilterOption[]> {
  const all = readerClient().from('topics').select('value:slug, name');
  return dataOf((slug === undefined ? all : all.eq('slug', slug)).order('name').limit(MAX_OPTIONS));
}

/** Only people with a public byline. */
async function people(handle?: string): Promise<FilterOption[]> {
  const all = readerClient().from('people').select('value:handle, name:display_name');
  return dataOf(
    (handle === undefined ? all : all.eq('handle', handle)).order('display_name').limit(MAX_OPTIONS),
  );
}

/** Error messages by field. */
type SearchProblems = Partial<Record<keyof SearchParameters, string>>;

/** Seconds after which a failed search may be repeated. */
const RETRY_AFTER_S = 30;

/** Returns the content of the search page. If the input is invalid or the backend fails, the form keeps its values. */
export async function searchPage(parameters: SearchParameters) {
  const [site, options, result] = await Promise.all([
    readSite().catch(rememberedSite),
    readFilterOptions(parameters).catch(noOptions),
    trySearch(parameters),
  ]);
  const messages = messagesFor(site?.language);
  const days = dateProblems(messages, parameters);
  const isWrong = Object.keys(days).length > 0;
  const refused = result.refused ?? (isWrong ? refusal('invalid') : null);
  const problems: SearchProblems = refused?.field === 'query' ? { q: messages.search.noWord } : days;
  return { site, messages, options, answer: result.answer, problems, refused };
}

async function trySearch(
  parameters: SearchParameters,
): Promise<{ answer: SearchResults | null; refused: Refusal | null }> {
  if (parameters.q === null || hasInvalidDates(parameters)) return { answer: null, refused: null };
  try {
    return { answer: await searchIndex(parameters), refused: null };
  } catch (error) {
    const refused = refusalOrThrow(error);
    return {
      answer: null,
      refused: refused.code === 'unavailable' ? { ...refused, retryAfter: RETRY_AFTER_S } : refused,
    };
  }
}

/** Without the backend, the form is shown without options. */
function noOptions(error: unknown): FilterOptions {
  refusalOrThrow(error);
  return { coverage: [], topic: [], person: [] };
}

const isInvalidDate = (text: string | null): text is string => text !== null && !isDate(text);
const isBackwards = ({ from, to }: SearchParameters) => from !== null && to !== null && from > to;
const hasInvalidDates = (parameters: SearchParameters) =>
  isInvalidDate(parameters.from) || isInvalidDate(parameters.to) || isBackwards(parameters);

function dateProblems(messages: Messages, parameters: SearchParameters): SearchProblems {
  const { from, to } = parameters;
  const problems: SearchProblems = {
    ...(isInvalidDate(from) && { from: messages.search.noDay(from) }),
    ...(isInvalidDate(to) && { to: messages.search.noDay(to) }),
  };
  if (Object.keys(problems).length === 0 && isBackwards(parameters)) problems.to = messages.search.noSpan;
  return problems;
}
