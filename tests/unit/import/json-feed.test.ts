import { expect, test } from 'vitest';
import { BadFeed, readJsonFeed } from '../../../src/lib/cli/import/read-feed.ts';

const item = (id: string, date: string, more: object = {}) => ({
  id,
  date_published: date,
  content_text: `Words of ${id}.`,
  ...more,
});

const feedOf = (items: unknown, more: object = {}) =>
  JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'A storm', items, ...more });

const mistakes = (text: string) => {
  try {
    readJsonFeed(text);
  } catch (error) {
    if (error instanceof BadFeed) return error.mistakes;
    throw error;
  }
  return [];
};

test('sorts items by time, and keeps the order of equal times', () => {
  const [noon, one] = ['2026-01-01T12:00:00Z', '2026-01-01T13:00:00Z'];
  const ids = (items: unknown[]) => readJsonFeed(feedOf(items)).items.map(({ id }) => id);
  expect(ids([item('late', one), item('b', noon), item('a', noon)])).toEqual(['a', 'b', 'late']);
  expect(ids([item('a', noon), item('b', noon), item('late', one)])).toEqual(['a', 'b', 'late']);
});

test('reads a time as an instant, whatever its zone', () => {
  const { items } = readJsonFeed(feedOf([item('a', '2026-01-01T12:00:00.5+02:00')]));
  expect(items[0]?.publishedAt.toISOString()).toBe('2026-01-01T10:00:00.500Z');
});

test.each([
  ['no id', { id: undefined }],
  ['a number as its id', { id: 7 }],
  ['no date', { date_published: undefined }],
  ['a date without a zone', { date_published: '2026-01-01T12:00:00' }],
  ['a day that never was', { date_published: '2026-02-30T25:00:00Z' }],
  ['no text', { content_text: undefined, content_html: '<p>Hello</p>' }],
  ['only white space', { content_text: ' \n ' }],
  ['a title that is no text', { title: 1 }],
  ['authors that are no list', { authors: 'me' }],
  ['tags that are no texts', { tags: [1] }],
])('names an item with %s', (_what, wrong) => {
  const items = [item('good', '2026-01-01T12:00:00Z'), { ...item('bad', '2026-01-01T12:00:00Z'), ...wrong }];
  const said = mistakes(feedOf(items));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch('id' in wrong ? /^Item 1: / : /^Item 1 \(bad\): /);
});

test('names every invalid item, and duplicate ids', () => {
  const said = mistakes(feedOf([item('a', '2026-01-01T12:00:00Z'), item('a', 'yesterday'), 7]));
  expect(said.map((sentence) => sentence.replace(/:.*/, ''))).toEqual(['Item 1 (a)', 'Item 1 (a)', 'Item 2']);
  expect(said[0]).toContain('item 0');
});

test.each([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['another version', feedOf([], { version: 'https://jsonfeed.org/version/1' })],
  ['no title', feedOf([], { title: ' ' })],
  ['items that are no list', feedOf({})],
  ['a language that is no text', feedOf([], { language: 1 })],
])('refuses a file with %s', (_what, text) => expect(mistakes(text)).toHaveLength(1));

test("skips tombstones of the product's own feeds", () => {
  const gone = {
    id: 'b',
    title: 'Withdrawn',
    content_text: 'It was not so.',
    _stoppress: { withdrawn: true },
  };
  const { items } = readJsonFeed(feedOf([gone, item('a', '2026-01-01T12:00:00Z')]));
  expect(items.map(({ id, index }) => [id, index])).toEqual([['a', 1]]);
});
