import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  insertBelow,
  insertMarkdown,
  insertMedia,
  insertTable,
  nextLine,
  type TextEdit,
  type TextSelection,
  toggleLines,
  toggleLink,
  toggleMark,
} from '../../../src/lib/domain/body/edit.ts';
import { parseBody } from '../../../src/lib/domain/body/source.ts';

/** Two bars mark the selection, one bar marks the caret. */
function selectionOf(drawing: string): TextSelection {
  const [before = '', within = '', after] = drawing.split('|');
  if (after === undefined) return { text: before + within, from: before.length, to: before.length };
  return { text: before + within + after, from: before.length, to: before.length + within.length };
}

function draw({ text, from, to }: TextSelection): string {
  const within = text.slice(from, to);
  return `${text.slice(0, from)}|${within}${within ? '|' : ''}${text.slice(to)}`;
}

function applyEdit(
  { text }: TextSelection,
  { from, to, insert: put, selection: choose }: TextEdit,
): TextSelection {
  return { text: text.slice(0, from) + put + text.slice(to), from: choose[0], to: choose[1] };
}

const edited = (drawing: string, edit: (selectionOf: TextSelection) => TextEdit | null) => {
  const made = edit(selectionOf(drawing));
  return made && draw(applyEdit(selectionOf(drawing), made));
};

describe('bold and italic for', () => {
  test.for<[string, string, string]>([
    ['a |bcd| e', 'a **|bcd|** e', 'a *|bcd|* e'],
    ['a | bcd | e', 'a  **|bcd|**  e', 'a  *|bcd|*  e'],
    ['a **|bcd|** e', 'a |bcd| e', 'a ***|bcd|*** e'],
    ['a |**bcd**| e', 'a |bcd| e', 'a ***|bcd|*** e'],
    ['a ***|bcd|*** e', 'a *|bcd|* e', 'a **|bcd|** e'],
    ['a b|c d', 'a **b|c** d', 'a *b|c* d'],
    ['a **b|c** d', 'a b|c d', 'a ***b|c*** d'],
    ['a **bc|** d', 'a **bc**| d', 'a ***bc|*** d'],
    ['a | d', 'a **|** d', 'a *|* d'],
    ['a **|** d', 'a | d', 'a ***|*** d'],
    ['\\*|b|\\*', '\\***|b|**\\*', '\\**|b|*\\*'],
    ['|- a\n\n> b|\nc', '- |**a**\n\n> **b**|\nc', '- |*a*\n\n> *b*|\nc'],
  ])('%s', ([drawing, bold, italic]) => {
    expect(edited(drawing, (c) => toggleMark(c, 'bold'))).toBe(bold);
    expect(edited(drawing, (c) => toggleMark(c, 'italic'))).toBe(italic);
  });

  test('toggling twice restores the text', () => {
    const words = fc.array(fc.constantFrom('a', 'b c', ' ', '\n', '- ', '> ', '1. ', '**', '*', 'é', '🙂'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        words,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('bold' as const, 'italic' as const),
        (parts, a, b, mark) => {
          const text = parts.join('').replaceAll('*', '');
          const [from = 0, to = 0] = [a, b].map((n) => n % (text.length + 1)).sort((x, y) => x - y);
          const start = { text, from, to };
          const once = applyEdit(start, toggleMark(start, mark));
          // Without a word nothing is marked, and after a word the caret moves out.
          fc.pre(once.text !== text && from !== to);
          expect(applyEdit(once, toggleMark(once, mark)).text).toBe(text);
        },
      ),
    );
  });
});

test.for<[string, string | null]>([
  ['|', '- |'],
  ['on|e', '- one|'],
  ['a\n|b\n\nc|\nd', 'a\n|- b\n\n- c|\n\nd'],
  ['|- b\n- c|', '|b\nc|'],
  ['- a\n- b|', '- a\n\nb|'],
  ['> a|', '- a|'],
  ['1. a|', 'a|'],
])('list: %j becomes %j', ([drawing, expected]) => {
  expect(edited(drawing, (c) => toggleLines(c, 'list'))).toBe(expected);
});

test.for<[string, string | null]>([
  ['|', '> |'],
  ['one|\ntwo', '> one\n> — |\n\ntwo'],
  ['|a\n\nb|', '> a\n>\n> b\n> — |'],
  ['> a|', 'a|'],
  ['|> a\n>\n> b|', '|a\n\nb|'],
])('quote: %j becomes %j', ([drawing, expected]) => {
  expect(edited(drawing, (c) => toggleLines(c, 'quote'))).toBe(expected);
});

test.for<[string, string | null]>([
  ['a |b| c', 'a [b](|https://|) c'],
  ['a | c', 'a [|](https://) c'],
  ['|https://www.e.example/a/|', '[|e.example/a|](https://www.e.example/a/)'],
  ['a [b|](https://e.example) c', 'a |b| c'],
  ['|a\nb|', null],
])('link: %j becomes %j', ([drawing, expected]) => {
  expect(edited(drawing, toggleLink)).toBe(expected);
});

test('pasting a URL over selected text makes it a link', () => {
  expect(edited('a |b| c', (c) => toggleLink(c, 'https://e.example/_(x)'))).toBe(
    'a [b](<https://e.example/_(x)>)| c',
  );
  expect(parseBody('[b](<https://e.example/_(x)>)')).toEqual([
    { type: 'paragraph', runs: [{ text: 'b', link: 'https://e.example/_(x)' }] },
  ]);
});

test.for<[string, string | null]>([
  ['- a|', '- a\n- |'],
  ['- a|b', '- a\n- |b'],
  ['9. a|', '9. a\n10. |'],
  ['- a\n- |', '- a\n\n|'],
  ['- |', '|'],
  ['> a|', '> a\n> |'],
  ['> a\n> — |', '> a\n\n|'],
  ['> a\n> — Ito|', '> a\n> — Ito\n> |'],
  ['> a\n> — [Ito](https://e.example "/x")|', '> a\n> — [Ito](https://e.example "/x")\n\n|'],
  ['a|', null],
  ['|- a', null],
  ['|- a|', null],
])('Enter: %j becomes %j', ([drawing, expected]) => {
  expect(edited(drawing, nextLine)).toBe(expected);
});

test('inserts text inline or as a block', () => {
  expect(edited('a |b| c', (c) => insertMarkdown(c, '**x**', true))).toBe('a **x**| c');
  expect(edited('a|b', (c) => insertMarkdown(c, '- x', false))).toBe('a\n\n- x|\n\nb');
  expect(edited('a\n|\n\nb', (c) => insertMarkdown(c, '- x', false))).toBe('a\n\n- x|\n\nb');
  expect(edited('|', (c) => insertMarkdown(c, '- x', false))).toBe('- x|');
  expect(edited('a|b\nc', (c) => insertBelow(c, '[photo 1]'))).toBe('ab\n\n[photo 1]|\n\nc');
});

test('inserts the address of a video into an empty line, with the line of its title', () => {
  const insert = (drawing: string) =>
    edited(drawing, (chosen) => insertMedia(chosen, 'https://youtu.be/dQw4w9WgXcQ?si=x'));
  const video = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ\n: ';
  expect(insert('|')).toBe(`${video}|`);
  expect(insert('a\n|\nb')).toBe(`a\n\n${video}|\n\nb`);
  expect(insertMedia({ text: 'See ', from: 4, to: 4 }, 'https://youtu.be/dQw4w9WgXcQ')).toBeNull();
  expect(insertMedia({ text: '', from: 0, to: 0 }, 'https://youtu.be.evil.example/dQw4w9WgXcQ')).toBeNull();
});

describe('tables', () => {
  /** Draws the caret as `^`, because `|` separates cells. */
  const at = (drawing: string): TextSelection => {
    const caret = drawing.indexOf('^');
    return { text: drawing.replace('^', ''), from: caret, to: caret };
  };
  const after = (drawing: string, edit: (chosen: TextSelection) => TextEdit | null) => {
    const chosen = at(drawing);
    const made = edit(chosen);
    if (!made) return null;
    const { text, from } = applyEdit(chosen, made);
    return `${text.slice(0, from)}^${text.slice(from)}`;
  };

  test('inserts an empty table below the line, with the caret in its first cell', () => {
    expect(after('Sh^elters', insertTable)).toBe('Shelters\n\n| ^ |  |\n| --- | --- |\n|  |  |');
  });

  test.for<[string, string, string | null]>([
    ['a row with text', '| a |\n| - |\n| b^ |', '| a |\n| - |\n| b |\n| ^ |'],
    ['a row with an escaped border', '| a |\n| - |\n| b \\| c^ |', '| a |\n| - |\n| b \\| c |\n| ^ |'],
    ['names that have a row of dashes', '| a^ | b |\n| - | - |', '| a | b |\n| - | - |\n| ^ |  |'],
    ['names alone', '| a | b^ |', '| a | b |\n| --- | --- |\n| ^ |  |'],
    ['an empty row', '| a |\n| - |\n| b |\n| ^ |', '| a |\n| - |\n| b |\n^'],
    ['the start of a row', '| a |\n| - |\n^| b |', null],
    ['text that is no table', 'a | b^', null],
  ])('Enter in %s', ([, before, expected]) => {
    expect(after(before, nextLine)).toBe(expected);
  });
});
