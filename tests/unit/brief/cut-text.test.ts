import { describe, expect, test } from 'vitest';
import { byteLength, makeCutter, plainLine } from '../../../src/lib/domain/cut-text.ts';

const cut = (line: string, bytes: number, language = 'en') => makeCutter(line, language, 1_500)(bytes);

/** Texts with characters of up to four bytes, several code points, and words without spaces. */
const HOSTILE: [name: string, line: string, language: string][] = [
  ['long words', 'Donaudampfschifffahrtsgesellschaft '.repeat(9).trim(), 'de'],
  ['emoji', '👩‍👩‍👧‍👦👍🏽🇩🇪🇫🇷1️⃣🏴󠁧󠁢󠁥󠁮󠁧󠁿 '.repeat(9).trim(), 'en'],
  ['combining marks', 'Za\u0301\u0323\u0308 o\u0302\u0301 e\u0301 '.repeat(20).trim(), 'vi'],
  ['Hebrew', 'המים עולים ליד הגשר והכביש סגור '.repeat(9).trim(), 'he'],
  ['Japanese', '水位が上がっています。橋は閉鎖されました。', 'ja'],
  ['Thai', 'แม่น้ำสูงขึ้นที่สะพานและถนนปิด', 'th'],
  ['unknown language', 'one two three four five', 'qqq-x-none'],
];

const graphemes = (text: string) =>
  Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);

describe('makeCutter', () => {
  test.for(HOSTILE)('keeps %s within the bytes and whole characters', ([, line, language]) => {
    const whole = graphemes(line);
    for (let bytes = 3; bytes <= byteLength(line) + 3; bytes++) {
      const short = cut(line, bytes, language);
      expect(byteLength(short)).toBeLessThanOrEqual(bytes);
      if (byteLength(line) <= bytes) expect(short).toBe(line);
      else {
        expect(short.endsWith('…')).toBe(true);
        const kept = graphemes(short.slice(0, -1));
        expect(kept).toEqual(whole.slice(0, kept.length));
      }
    }
  });

  test('cuts between words and leaves out punctuation before the ellipsis', () => {
    const line = 'The bridge is shut, and all lanes: closed';
    expect(cut(line, 20)).toBe('The bridge is…');
    expect(cut(line, 22)).toBe('The bridge is shut…');
    expect(cut(line, 38)).toBe('The bridge is shut, and all lanes…');
    expect(cut(line, 41)).toBe(line);
  });

  test('keeps only the ellipsis of a word that does not fit', () => {
    expect(cut('https://example.com/a/very/long/address', 20)).toBe('…');
    expect(cut(`a${'\u0301'.repeat(900)} word`, 300)).toBe('…');
    expect(cut('word', 3)).toBe('…');
  });

  test('cuts scripts without spaces between words', () => {
    expect(cut('水位が上がっています。', 24, 'ja')).toMatch(/^水位.*…$/);
    expect(cut('แม่น้ำสูงขึ้นที่สะพาน', 30, 'th')).toBe('แม่น้ำสูง…');
  });
});

describe('plainLine', () => {
  test('removes line breaks, control characters and lone surrogates', () => {
    expect(plainLine(' a\r\n\tb\u2028c\u0000\u001b[31md \ud83d ')).toBe('a b c [31md �');
  });

  test('removes marks that would turn the text after them, and keeps those of one place', () => {
    expect(plainLine('\u202Eabc\u202C \u2067def\u2069 \u200Fשלום\u200F \u202Aa')).toBe(
      'abc def \u200Fשלום\u200F a',
    );
  });

  test('keeps joiners of emoji and Persian', () => {
    expect(plainLine('👩‍👧 می‌خواهم')).toBe('👩‍👧 می‌خواهم');
  });
});
