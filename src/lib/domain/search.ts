import { oneLine } from './body/blocks.ts';
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

/* Finds search words in a text in the same way as the database (private.split_words in the migrations). */

const DIACRITICS = /[\u0300-\u036f\u064b-\u0655\u0670]/g;
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u;

/** Shorter words match only whole words. */
const MIN_PREFIX_LENGTH = 3;

const fold = (text: string) => text.normalize('NFKD').replace(DIACRITICS, '').toLowerCase();

/** Splits a search query into lower-case words without accents. */
export const splitQuery = (terms: string): string[] => fold(terms).split(SEPARATORS).filter(Boolean);

/** Returns the ranges of a text that match the search words: start and end, in order, without overlap. */
export function matchRanges(text: string, terms: readonly string[]): [from: number, to: number][] {
  if (terms.length === 0) return [];
  const ranges: [number, number][] = [];
  for (const { word, offsets } of wordsIn(text)) {
    const matches = terms.filter(
      (one) => word === one || (one.length >= MIN_PREFIX_LENGTH && word.startsWith(one)),
    );
    if (matches.length === 0) continue;
    const longest = Math.max(...matches.map((one) => one.length));
    ranges.push([offsets[0] as number, (offsets[longest] ?? offsets.at(-1)) as number]);
  }
  return ranges;
}

/**
 * Splits a text into folded words. `at` holds the offset of each folded letter in the text, and the end of the word.
 */
function wordsIn(text: string): { word: string; offsets: number[] }[] {
  const words: { word: string; offsets: number[] }[] = [];
  let word = '';
  let offsets: number[] = [];
  const end = (here: number) => {
    if (word) words.push({ word, offsets: [...offsets, here] });
    word = '';
    offsets = [];
  };
  let here = 0;
  for (const character of text) {
    const folded = fold(character);
    if (folded && SEPARATORS.test(folded)) end(here);
    else {
      word += folded;
      for (const _ of folded) offsets.push(here);
    }
    here += character.length;
  }
  end(here);
  return words;
}

/** Returns a one-line excerpt around the first match; the beginning of the text if there is none. */
export function excerptAround(text: string, terms: readonly string[], maxLength: number): string {
  const line = oneLine(text);
  const first = matchRanges(line, terms)[0]?.[0] ?? 0;
  if (first < maxLength / 2) return line;
  const from = line.lastIndexOf(' ', first - maxLength / 4) + 1;
  return `… ${line.slice(from)}`;
}
