import { expect, test } from 'vitest';
import { readAlert, silentRepeat } from '../../../src/islands/offline/alerts.ts';

const ORIGIN = 'https://news.example';
const NEWSROOM = { name: 'The Harrow Post', lang: 'es', unread: 'Hay noticias aquí.' };
const read = (said: unknown) =>
  readAlert(typeof said === 'string' ? said : JSON.stringify(said), NEWSROOM, ORIGIN);

const WHOLE = {
  alert: 'a-1',
  title: 'The river rises',
  body: 'Two metres.',
  url: 'https://news.example/live/river/3',
  tag: 'river',
  urgent: true,
  lang: 'ar',
};

test('a message is shown as it says, and leads to its place on this site', () => {
  expect(read(WHOLE)).toEqual({
    id: 'a-1',
    title: 'The river rises',
    path: '/live/river/3',
    options: {
      body: 'Two metres.',
      lang: 'ar',
      dir: 'rtl',
      tag: 'river',
      timestamp: expect.any(Number),
      requireInteraction: true,
      renotify: true,
      icon: '/icon-192.png',
      data: { path: '/live/river/3' },
    },
  });
  expect(read({ ...WHOLE, at: 1_700_000_000_000 }).options.timestamp).toBe(1_700_000_000_000);
});

test('once more it makes no sound', () => {
  expect(silentRepeat(read(WHOLE).options)).toMatchObject({
    tag: 'river',
    body: 'Two metres.',
    silent: true,
    renotify: false,
    requireInteraction: false,
  });
});

test.for([
  undefined,
  '',
  'x',
  '7',
  'null',
  '[]',
  '"x"',
  '{"title":{},"tag":3,"urgent":"yes","url":7,"lang":[]}',
])('what cannot be read is a plain line: %s', (said) => {
  const { id, title, options, path } = readAlert(said, NEWSROOM, ORIGIN);
  expect([id, title, path]).toEqual([undefined, 'The Harrow Post', '/']);
  expect(options).toMatchObject({ body: 'Hay noticias aquí.', lang: 'es', tag: 'news', renotify: false });
});

test.for([
  'https://evil.example/live/river',
  '//evil.example/',
  'javascript:alert(1)',
  'https://',
  'http://news.example/',
])('a message that leads to %s leads home', (url) => {
  expect(read({ ...WHOLE, url }).path).toBe('/');
});

test('a title without a body stands alone, and what is endless is cut', () => {
  expect(read({ title: 'Only this' })).toMatchObject({ title: 'Only this', options: { body: '' } });
  expect(read({ title: 'x'.repeat(9000) }).title.length).toBeLessThan(500);
});
