import { expect, test } from 'vitest';
import { importItem, updateId } from '../../../src/lib/cli/import/import-feed.ts';
import type { Item } from '../../../src/lib/cli/import/read-feed.ts';

const COVERAGE = '6a2f41a3-c54c-4b1c-9d8c-d1c4a2f0b001';
const item: Item = {
  index: 0,
  id: 'one',
  title: undefined,
  body: [{ type: 'paragraph', runs: [{ text: 'Down.' }] }],
  authors: [],
  tags: [],
  publishedAt: new Date('1969-07-20T20:17:40Z'),
};

test('reads title, authors and the key-event tag', () => {
  const { content, published_at } = importItem(COVERAGE, {
    ...item,
    title: 'Down',
    authors: ['CDR', 'CC'],
    tags: ['key-event', 'other'],
  });
  expect(content).toMatchObject({ headline: 'Down', attribution: 'CDR, CC', key_event: true });
  expect(published_at).toBe('1969-07-20T20:17:40.000Z');
  expect(importItem(COVERAGE, item).content).toEqual({ body: item.body, key_event: false });
});

test('makes an id from coverage and item only', () => {
  expect(updateId(COVERAGE, 'one')).toBe(updateId(COVERAGE, 'one'));
  expect(updateId(COVERAGE, 'two')).not.toBe(updateId(COVERAGE, 'one'));
  expect(updateId('6a2f41a3-c54c-4b1c-9d8c-d1c4a2f0b002', 'one')).not.toBe(updateId(COVERAGE, 'one'));
});
