import { expect, test } from 'vitest';
import { bodyFromText } from '../../../src/lib/cli/import/read-feed.ts';

test('splits paragraphs at blank lines, and collapses other white space', () => {
  expect(bodyFromText('First line,\nsame paragraph.\n\n  \r\n\r\nSecond\tone.\n')).toEqual([
    { type: 'paragraph', runs: [{ text: 'First line, same paragraph.' }] },
    { type: 'paragraph', runs: [{ text: 'Second one.' }] },
  ]);
});
