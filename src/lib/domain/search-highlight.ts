/* Where searched words stand in a text, as the database finds them (private.split_words in migration 2400). */

const MARKS = /[\u0300-\u036f\u064b-\u0655\u0670]/g;
const APART = /[^\p{L}\p{M}\p{N}]+/u;

/** Words of fewer letters are found only whole. */
const PREFIX = 3;

const fold = (text: string) => text.normalize('NFKD').replace(MARKS, '').toLowerCase();

/** What somebody searches for, as words in small letters without accents. */
export const soughtWords = (sought: string): string[] => fold(sought).split(APART).filter(Boolean);

/** Stretches of a text that a search has found: from, up to. In their order, without overlap. */
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

/** Words of a text, folded; `at` holds where each of their letters stands in it, and at last where they end. */
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

/** A stretch of a text around the first place that was found, on one line; its beginning where none was. */
export function around(text: string, sought: readonly string[], most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const first = placesOf(line, sought)[0]?.[0] ?? 0;
  if (first < most / 2) return line;
  const from = line.lastIndexOf(' ', first - most / 4) + 1;
  return `… ${line.slice(from)}`;
}
