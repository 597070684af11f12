import { expect, test } from 'vitest';
import type { Block, Body } from '../../../src/lib/body/blocks.ts';
import { fold } from '../../../src/lib/body/fold.ts';
import { bodyText } from '../../../src/lib/body/text.ts';

const paragraph = (text: string): Block => ({ type: 'paragraph', runs: [{ text }] });
const sentence = 'Twenty characters. ';
const length = (body: Body) => bodyText(body).length;

test('what is short enough is not folded', () => {
  const body = [paragraph('x'.repeat(1000)), paragraph('y'.repeat(500))];
  expect(fold(body)).toEqual({ shown: body, folded: [] });
});

test('a long body is cut between blocks', () => {
  const body = [
    paragraph('a'.repeat(900)),
    paragraph('b'.repeat(500)),
    paragraph('c'.repeat(200)),
    paragraph('d'),
  ];
  expect(fold(body)).toEqual({ shown: body.slice(0, 2), folded: body.slice(2) });
});

test('a single long paragraph is cut between sentences, and nothing of it is lost', () => {
  const runs = [
    { text: sentence.repeat(40) },
    { text: sentence.repeat(60), bold: true, link: 'https://example.org' },
  ];
  const { shown, folded } = fold([{ type: 'paragraph', runs }]);
  expect(length(shown)).toBeLessThanOrEqual(1500);
  expect(length(shown)).toBeGreaterThan(1400);
  expect(bodyText(shown)).toMatch(/\. $/);
  expect(bodyText(shown) + bodyText(folded)).toBe(sentence.repeat(100));
  expect(folded).toEqual([
    { type: 'paragraph', runs: [expect.objectContaining({ bold: true, link: 'https://example.org' })] },
  ]);
});

test('a word of any length, and a quote, stay whole', () => {
  const word = [paragraph('x'.repeat(3000)), paragraph('after')];
  expect(fold(word)).toEqual({ shown: word.slice(0, 1), folded: word.slice(1) });
  const quote: Body = [{ type: 'quote', text: sentence.repeat(100) }];
  expect(fold(quote)).toEqual({ shown: quote, folded: [] });
});
