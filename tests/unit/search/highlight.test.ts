import { expect, test } from 'vitest';
import { searchSpans } from '../../../src/lib/publishing/search.ts';

const told = (text: string) =>
  searchSpans(text)
    .map(({ text, marked }) => (marked ? `[${text}]` : text))
    .join('');

test.for([
  ['nothing', 'nothing'],
  ['', ''],
  ['\u0002The\u0003 river \u0002rose\u0003', '[The] river [rose]'],
  ['a \u0002river\u0003\u0002bank\u0003 here', 'a [riverbank] here'],
  ['<b>\u0002<script>\u0003</b>', '<b>[<script>]</b>'],
  // Misplaced marks.
  ['a \u0003b', 'a b'],
  ['\u0003\u0002\u0002b', 'b'],
  ['a \u0002b', 'a b'],
  ['\u0002a\u0003b\u0003c', '[a]bc'],
] as const)('%j is told as %s', ([text, expected]) => {
  expect(told(text)).toBe(expected);
  for (const mark of ['\u0002', '\u0003']) expect(told(text)).not.toContain(mark);
});
