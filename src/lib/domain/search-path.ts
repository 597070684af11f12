import { LIMITS } from './limits.ts';
import { ANY_VALUE, pathWith, type QueryParameters } from './paths.ts';

/** Path of the search page. */
export const SEARCH_PATH = '/search';

/** Query parameters of the search page. */
export const SEARCH_PARAMETERS: QueryParameters = {
  q: ANY_VALUE,
  coverage: /^[a-z0-9-]{1,80}$/,
  topic: /^[a-z0-9-]{1,80}$/,
  person: /^[a-z0-9-]{1,30}$/,
  // Accepts invalid dates too: the page shows them in their field with an error.
  from: ANY_VALUE,
  to: ANY_VALUE,
  page: /^(?:[2-9]|[1-9]\d)$/,
};

export type SearchParameters = Record<
  'q' | 'coverage' | 'topic' | 'person' | 'from' | 'to' | 'page',
  string | null
>;

/** Length of a date: `2026-11-22`. */
const DATE_LENGTH = 10;

/** Normalises a search, so that equal searches share one cached page. */
export function normalizeSearch(given: Record<string, string | null>): SearchParameters {
  const { coverage = null, topic = null, person = null } = given;
  const q = normalizeText(given.q, LIMITS.search_query);
  const page = q && Number(given.page) <= LIMITS.search_pages ? (given.page ?? null) : null;
  return {
    q,
    coverage,
    topic,
    person,
    from: normalizeText(given.from, DATE_LENGTH),
    to: normalizeText(given.to, DATE_LENGTH),
    page,
  };
}

/** Replaces white space and control characters with single spaces. */
function normalizeText(text: string | null | undefined, maxLength: number): string | null {
  const spaced = (text ?? '')
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return Array.from(spaced).slice(0, maxLength).join('').trim() || null;
}

/** Path of a search, or of the empty form. */
export const searchPath = (parameters: Partial<SearchParameters> = {}) =>
  pathWith(SEARCH_PATH, normalizeSearch({ q: null, from: null, to: null, page: null, ...parameters }));

/** Whether the text is an existing date in the form `2026-11-22`. */
export function isDate(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
