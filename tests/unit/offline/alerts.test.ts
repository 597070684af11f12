import { afterEach, expect, test, vi } from 'vitest';
import { handleAlerts, readAlert, silentRepeat } from '../../../src/islands/offline/alerts.ts';
import type { AlertOptions, WorkerScope } from '../../../src/islands/offline/scope.ts';

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

test('shows an alert as it was sent, with a link to this site', () => {
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

const PHOTO = '/photos/7f1c1b1e-0000-4000-8000-000000000004/960';

test.for([
  'https://evil.example/photos/7f1c1b1e-0000-4000-8000-000000000004/960',
  'https://news.example/live/river',
  'https://news.example/photos/../live/river/960',
  `${PHOTO}?size=1`,
  7,
])('shows no photo from %s', (photo) => {
  expect(read({ ...WHOLE, photo }).options).not.toHaveProperty('image');
});

test('shows a photo of this site', () => {
  expect(read({ ...WHOLE, photo: ORIGIN + PHOTO }).options).toMatchObject({ image: PHOTO });
});

/** Sends an alert with a photo to the worker. @returns the options with which it was shown */
async function pushPhoto(connection: object): Promise<AlertOptions> {
  vi.stubGlobal('newsroom', NEWSROOM);
  vi.stubGlobal('location', { origin: ORIGIN });
  vi.stubGlobal('navigator', { connection });
  const target = new EventTarget();
  const shown = Promise.withResolvers<AlertOptions>();
  const registration = {
    showNotification: async (_: string, options: AlertOptions) => shown.resolve(options),
  };
  const addEventListener = target.addEventListener.bind(target);
  handleAlerts({ addEventListener, registration } as unknown as WorkerScope);
  const data = { text: () => JSON.stringify({ ...WHOLE, alert: undefined, photo: ORIGIN + PHOTO }) };
  target.dispatchEvent(Object.assign(new Event('push'), { data, waitUntil: () => undefined }));
  return shown.promise;
}

test('leaves out the photo where data is saved or the connection is slow', async () => {
  expect((await pushPhoto({ saveData: true })).image).toBeUndefined();
  expect((await pushPhoto({ effectiveType: '3g' })).image).toBeUndefined();
  expect((await pushPhoto({ effectiveType: '4g' })).image).toBe(PHOTO);
});

test('repeats an alert silently', () => {
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
])('shows a general alert for an unreadable message: %s', (said) => {
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
])('opens the front page for a link to %s', (url) => {
  expect(read({ ...WHOLE, url }).path).toBe('/');
});

test('shows a title without text, and shortens long ones', () => {
  expect(read({ title: 'Only this' })).toMatchObject({ title: 'Only this', options: { body: '' } });
  expect(read({ title: 'x'.repeat(9000) }).title.length).toBeLessThan(500);
});

afterEach(() => vi.unstubAllGlobals());

/** Clicks on an alert about `/live/river/3` while these pages are open. @returns what the worker did */
async function click(openPaths: string[]): Promise<string[]> {
  const log: string[] = [];
  const target = new EventTarget();
  const pages = openPaths.map((path) => ({
    url: ORIGIN + path,
    focus: async () => log.push(`focused ${path}`),
  }));
  const clients = {
    matchAll: async () => pages,
    openWindow: async (path: string) => log.push(`opened ${path}`),
  };
  vi.stubGlobal('newsroom', NEWSROOM);
  const addEventListener = target.addEventListener.bind(target);
  handleAlerts({ addEventListener, clients } as unknown as WorkerScope);
  let work: Promise<unknown> = Promise.resolve();
  const notification = { data: { path: '/live/river/3' }, close: () => undefined };
  const waitUntil = (promise: Promise<unknown>) => {
    work = promise;
  };
  target.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
  await work;
  return log;
}

test.for(['/live/river', '/live/river?utm_source=newsletter'])(
  'focuses the open page %s, which follows',
  async (path) => {
    expect(await click(['/', '/live/other', path])).toEqual([`focused ${path}`]);
  },
);

test.for([
  '/live/river?before=7',
  '/live/river?order=oldest',
  '/live/river?show=key',
  '/live/river/2',
  '/live/river/embed',
])('opens the update although %s is open, which does not follow', async (path) => {
  expect(await click([path])).toEqual(['opened /live/river/3']);
});
