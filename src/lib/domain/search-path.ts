import { LIMITS } from './limits.ts';
import { ANYTHING, type Declared, pathWith } from './paths.ts';

/** Where one searches; the same for what. */
export const SEARCH = '/search';

/** What counts on the page: words, and what they are looked for in. */
export const SEARCH_PARAMETERS: Declared = {
  q: ANYTHING,
  coverage: /^[a-z0-9-]{1,80}$/,
  topic: /^[a-z0-9-]{1,80}$/,
  person: /^[a-z0-9-]{1,30}$/,
  // Also what is no day: whoever typed it is told so, and finds it in its field again.
  from: ANYTHING,
  to: ANYTHING,
  page: /^(?:[2-9]|[1-9]\d)$/,
};

export type SearchParameters = Record<
  'q' | 'coverage' | 'topic' | 'person' | 'from' | 'to' | 'page',
  string | null
>;

/** As long as a day is written. */
const LONGEST_DAY = 10;

/** The same search in one form, however it was typed: what finds the same is kept once. */
export function tidySearch(given: Record<string, string | null>): SearchParameters {
  const { coverage = null, topic = null, person = null } = given;
  const q = tidy(given.q, LIMITS.search_query);
  const page = q && Number(given.page) <= LIMITS.search_pages ? (given.page ?? null) : null;
  return {
    q,
    coverage,
    topic,
    person,
    from: tidy(given.from, LONGEST_DAY),
    to: tidy(given.to, LONGEST_DAY),
    page,
  };
}

/** White space and what nobody can see count as one space between words. */
function tidy(text: string | null | undefined, longest: number): string | null {
  const spaced = (text ?? '')
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return Array.from(spaced).slice(0, longest).join('').trim() || null;
}

/** The address of a search; of its form alone where nothing is looked for. */
export const searchPath = (wanted: Partial<SearchParameters> = {}) =>
  pathWith(SEARCH, tidySearch({ q: null, from: null, to: null, page: null, ...wanted }));

/** Is it a day that there is, as 2026-11-22? */
export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
