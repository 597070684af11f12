/* Finds search words in a text in the same way as the database (private.split_words in the migrations). */

const MARKS = /[\u0300-\u036f\u064b-\u0655\u0670]/g;
const APART = /[^\p{L}\p{M}\p{N}]+/u;

/** Shorter words match only whole words. */
const PREFIX = 3;

const fold = (text: string) => text.normalize('NFKD').replace(MARKS, '').toLowerCase();

/** Splits a search query into lower-case words without accents. */
export const soughtWords = (sought: string): string[] => fold(sought).split(APART).filter(Boolean);

/** Returns the ranges of a text that match the search words: start and end, in order, without overlap. */
export function placesOf(text: string, sought: readonly string[]): [from: number, to: number][] {
  if (sought.length === 0) return [];
  const places: [number, number][] = [];
  for (const { word, at } of wordsIn(text)) {
    const hit = sought.filter((one) => word === one || (one.length >= PREFIX && word.startsWith(one)));
    if (hit.length === 0) continue;
    const longest = Math.max(...hit.map((one) => one.length));
    places.push([at[0] as number, (at[longest] ?? at.at(-1)) as number]);
  }
  return places;
}

/**
 * Splits a text into folded words. `at` holds the offset of each folded letter in the text, and the end of the word.
 */
function wordsIn(text: string): { word: string; at: number[] }[] {
  const words: { word: string; at: number[] }[] = [];
  let word = '';
  let at: number[] = [];
  const end = (here: number) => {
    if (word) words.push({ word, at: [...at, here] });
    word = '';
    at = [];
  };
  let here = 0;
  for (const character of text) {
    const folded = fold(character);
    if (folded && APART.test(folded)) end(here);
    else {
      word += folded;
      for (const _ of folded) at.push(here);
    }
    here += character.length;
  }
  end(here);
  return words;
}

/** Returns a one-line excerpt around the first match; the beginning of the text if there is none. */
export function around(text: string, sought: readonly string[], most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const first = placesOf(line, sought)[0]?.[0] ?? 0;
  if (first < most / 2) return line;
  const from = line.lastIndexOf(' ', first - most / 4) + 1;
  return `… ${line.slice(from)}`;
}
