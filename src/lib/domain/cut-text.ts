import { wordSegmenter } from './difference.ts';

/** Marks the place where a text was cut. */
export const ELLIPSIS = '…';

/** Returns the number of bytes of a text in UTF-8. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/**
 * Marks that change the direction of the text after them. A cut could separate the mark at the beginning from the one
 * at the end. Marks that affect one place only, such as U+200F, stay.
 */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069\uFEFF]/g;

/** Returns a text as one line without control characters and marks that change the direction of what follows. */
export const plainLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(DIRECTION_MARKS, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();

/** Scripts without spaces between words, and emoji. A word of other scripts ends at a space. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{Regional_Indicator}]/u;

/** Punctuation that is left out before an ellipsis. */
const BEFORE_ELLIPSIS = /[\s,;:.–—、，。；：-]+$/u;

const ELLIPSIS_BYTES = byteLength(ELLIPSIS);

/** A place where a text may be cut: an index, and the number of bytes before it. */
type CutPlace = { index: number; bytes: number };

/**
 * Returns a function that shortens a line to a number of bytes, with an ellipsis. It cuts between words, so never within
 * a character. If not even the first word fits, only the ellipsis is left.
 * @param language BCP 47, for scripts without spaces between words
 * @param maxBytes the largest number of bytes that the function is called with
 */
export function makeCutter(line: string, language: string, maxBytes: number): (bytes: number) => string {
  const total = byteLength(line);
  // Each UTF-16 unit has at least one byte.
  const places = cutPlaces(line.slice(0, maxBytes + 1), language);
  return (bytes) => {
    if (total <= bytes) return line;
    const end = places.findLast((place) => place.bytes + ELLIPSIS_BYTES <= bytes)?.index ?? 0;
    return `${line.slice(0, end)}${ELLIPSIS}`;
  };
}

function cutPlaces(line: string, language: string): CutPlace[] {
  const places: CutPlace[] = [];
  let [from, bytes] = [0, 0];
  for (const end of wordEnds(line, language)) {
    const index = from + line.slice(from, end).replace(BEFORE_ELLIPSIS, '').length;
    if (index === from) continue;
    bytes += byteLength(line.slice(from, index));
    places.push({ index, bytes });
    from = index;
  }
  return places;
}

function* wordEnds(line: string, language: string): Generator<number> {
  for (const { 0: word, index } of line.matchAll(/\S+/g)) {
    if (WITHOUT_SPACES.test(word)) {
      for (const { segment, index: start } of wordSegmenter(language).segment(word)) {
        if (WITHOUT_SPACES.test(segment)) yield index + start + segment.length;
      }
    }
    yield index + word.length;
  }
}
