import type { Run } from '../body/blocks.ts';

/** A word, or a mark between words, with the white space behind it and how it is set. */
export type Word = Run & { space: string };

/** The words of runs. Intl knows where they end also in languages that put nothing between them. */
export function wordsOf(runs: Run[], language: string): Word[] {
  const words: Word[] = [];
  for (const { text, ...marks } of runs) {
    for (const { segment } of segmenterOf(language).segment(text)) {
      const last = words.at(-1);
      if (segment.trim() !== '') words.push({ ...marks, text: segment, space: '' });
      else if (last && hasSameMarks(last, { ...marks, text: '' })) last.space += segment;
      else words.push({ ...marks, text: '', space: segment });
    }
  }
  return words;
}

/** The same word, set the same way; the white space behind it does not matter. */
export function isSameWord(a: Run, b: Run): boolean {
  return a.text === b.text && hasSameMarks(a, b);
}

export function hasSameMarks(a: Run, b: Run): boolean {
  return !a.bold === !b.bold && !a.italic === !b.italic && a.link === b.link;
}

const made = new Map<string, Intl.Segmenter>();

/** What the database takes as a language and Intl does not know has its words parted as English has. */
function segmenterOf(language: string): Intl.Segmenter {
  const known = made.get(language);
  if (known) return known;
  const segmenter = new Intl.Segmenter(isKnown(language) ? language : 'en', { granularity: 'word' });
  made.set(language, segmenter);
  return segmenter;
}

function isKnown(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
}
