import { expect, test } from 'vitest';
import { type Body, bodyText, excerpt, shorten } from '../../../src/lib/domain/body/blocks.ts';

const body: Body = [
  { type: 'paragraph', runs: [{ text: 'Hello ' }, { text: 'world', bold: true }] },
  { type: 'list', items: [[{ text: 'one' }], [{ text: 'two' }]] },
  { type: 'quote', text: 'I saw it.', attribution: 'A witness' },
  { type: 'link', url: 'https://example.org/', title: 'A report', site: 'example.org' },
  {
    type: 'table',
    rows: [
      [[{ text: 'Town' }], [{ text: 'Level' }]],
      [[{ text: 'Ostley' }], []],
    ],
    caption: 'Levels',
    source: 'River agency',
  },
  { type: 'map', name: 'Ferry Steps', latitude: 53.69, longitude: -0.44 },
  {
    type: 'post',
    url: 'https://e.example/1',
    author: 'Ana',
    handle: '@ana',
    network: 'Bluesky',
    text: 'It is closed.',
    quoted_at: '2026-11-28T14:02:00Z',
  },
  {
    type: 'media',
    url: 'https://vimeo.com/1',
    title: 'The bridge',
    description: 'It fell.\nNobody was hurt.',
  },
];

test('contains all text of a body', () => {
  expect(bodyText(body)).toBe(
    'Hello world\n\none\ntwo\n\nI saw it.\nA witness\n\nA report\nexample.org\n\nLevels\nTown\tLevel\nOstley\t\nRiver agency\n\nFerry Steps\n\nIt is closed.\nAna @ana\nBluesky\n\nThe bridge\nIt fell.\nNobody was hurt.',
  );
});

test('writes an excerpt on one line', () => {
  expect(excerpt(body, 22)).toBe('Hello world one two…');
});

test('shortens between words, and within a word only if it is too long', () => {
  expect(shorten('exactly ten', 11)).toBe('exactly ten');
  expect(shorten('three words, here', 13)).toBe('three words…');
  expect(shorten('x'.repeat(30), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(shorten('👩‍🚒'.repeat(2), 3)).not.toMatch(/[\ud800-\udbff]…/);
});

test('an update without text is described by the alt texts of its photos', () => {
  const photo = { type: 'photo', photo: '5e0c0a52-6d2f-4c86-9f0e-0a1b7c3d2e4f' } as const;
  const photos = [{ alt: 'The quay' }, { alt: null }, { alt: 'The gates' }];
  expect(excerpt([photo], 60, photos)).toBe('The quay The gates');
  expect(excerpt([photo, ...body], 5, photos)).toBe('Hell…');
  expect(bodyText([photo, ...body])).toBe(bodyText(body));
});
