import { beforeEach, expect, test, vi } from 'vitest';

const HOUR_MS = 3600_000;
const LONG_AGO = 1;

/** Last use of each page, as the library records it. */
const used = vi.hoisted(() => new Map<string, number>());
/** The device's storage. */
const storage = vi.hoisted(() => ({ isFull: false }));
vi.mock('workbox-expiration/models/CacheTimestampsModel.js', () => ({
  CacheTimestampsModel: class {
    async setTimestamp(key: string, at: number) {
      used.set(key, at);
    }
  },
}));
vi.mock('workbox-expiration/CacheExpiration.js', () => ({
  CacheExpiration: class {
    async isURLExpired(key: string) {
      return !used.has(key);
    }
    async updateTimestamp(key: string) {
      used.set(key, Date.now());
    }
    async expireEntries() {
      if (storage.isFull) throw new DOMException('', 'QuotaExceededError');
      for (const [key, at] of used) if (at <= LONG_AGO) used.delete(key);
    }
    async delete() {
      used.clear();
    }
  },
}));

/** The browser's caches, which outlive a worker. */
function fakeCaches() {
  const all = new Map<string, Map<string, Response>>();
  const urlOf = (request: string | Request) =>
    new URL(typeof request === 'string' ? request : request.url, 'http://site').href;
  return {
    async open(name: string) {
      const entries = all.get(name) ?? new Map<string, Response>();
      all.set(name, entries);
      return {
        match: async (request: string | Request) => entries.get(urlOf(request))?.clone(),
        async put(request: string | Request, response: Response) {
          if (storage.isFull) throw new DOMException('', 'QuotaExceededError');
          entries.set(urlOf(request), response);
        },
        delete: async (request: string | Request) => entries.delete(urlOf(request)),
        keys: async () => [...entries.keys()].map((url) => new Request(url)),
      };
    },
    delete: async (name: string) => all.delete(name),
  };
}

/** Starts a worker. */
const start = async () => {
  vi.resetModules();
  return import('../../../src/islands/offline/page-store.ts');
};

let store: Awaited<ReturnType<typeof start>>;
beforeEach(async () => {
  used.clear();
  storage.isFull = false;
  vi.stubGlobal('caches', fakeCaches());
  store = await start();
});

const html = { headers: { 'content-type': 'text/html; charset=utf-8' } };
const page = (inside = '') => new Response(`<p id="saved" hidden>Saved copy</p>${inside}`, html);
const live = (seq: number, newest: number, articles = '') =>
  page(
    `<main id="coverage" data-seq="${seq}" data-state="live" data-build="b" data-made="2026-07-20T20:12:00Z">` +
      `<div data-newest="${newest}">${articles}</div>`,
  );
const update = (number: number, is = '') => `<article id="update-${number}" class="update${is}"></article>`;

const keep = (key: string, response: Response, requestedAt = Date.now()) =>
  store.savePage(key, response, { requestedAt });
const kept = async (...keys: string[]) => {
  const pages = await Promise.all(keys.map((key) => store.findPage(key)));
  return keys.filter((_, index) => pages[index]);
};

const OF_RIVER = ['/', '/live/river', '/live/river/1', '/live/river?order=oldest', '/tips?coverage=river'];
const ALL = [...OF_RIVER, '/live/other', '/about'];

async function keepAll() {
  for (const key of ALL) await keep(key, key === '/live/river' ? live(4, 2, update(1)) : page(update(1)));
  expect(await kept(...ALL)).toEqual(ALL);
}

test('deletes other pages of a coverage when its live page has changed by more than new updates', async () => {
  await keepAll();
  await keep('/live/river', live(5, 3, update(1)));
  expect(await kept(...ALL)).toEqual(ALL);
  // An update on an older page.
  await keep('/live/river', live(6, 3, update(1)));
  expect(await kept(...ALL)).toEqual(['/live/river', '/live/other', '/about']);
});

test('deletes pages that still show something withdrawn, when a new page reveals it', async () => {
  await keepAll();
  await store.savePage('/live/river?before=11', page(update(7, ' withdrawn')), { requestedAt: Date.now() });
  expect(await kept(...ALL)).toEqual(ALL);
  await keep('/live/river?before=21', page(update(1, ' withdrawn')));
  expect(await kept(...ALL)).toEqual(['/live/other', '/about']);
});

test.for([
  ['410', () => new Response('', { status: 410 })],
  ['404', () => new Response('', { status: 404 })],
  ['redirect', () => Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' })],
] as const)('a %s of one update deletes all pages that may show its coverage', async ([, answer]) => {
  await keepAll();
  await keep('/live/river/1', answer());
  expect(await kept(...ALL)).toEqual(['/live/other', '/about']);
});

test('does not store a page that was requested before a withdrawal, in a restarted worker either', async () => {
  await keepAll();
  const requestedAt = Date.now();
  await store.deleteShowing('/live/river', 5);
  store = await start();
  expect(await keep('/live/river', live(4, 2), requestedAt)).toBe(true);
  await keep('/', page(), requestedAt);
  await keep('/live/river/1', page(), requestedAt);
  expect(await kept(...OF_RIVER)).toEqual([]);
  // The live page with the change may be stored at once, others when caches cannot be older.
  await keep('/live/river', live(5, 2), requestedAt);
  await keep('/', page(), requestedAt + HOUR_MS);
  expect(await kept(...OF_RIVER)).toEqual(['/', '/live/river']);
});

test('deletes pages of a withdrawn coverage when storage is full', async () => {
  await keepAll();
  storage.isFull = true;
  await store.deleteShowing('/live/river', 5).catch(() => undefined);
  expect(await kept(...OF_RIVER)).toEqual([]);
});

test('a message about a withdrawn coverage deletes its pages when storage is full', async () => {
  await keepAll();
  const handlers = new Map<string, (event: object) => void>();
  vi.stubGlobal('self', { addEventListener: vi.fn() });
  vi.stubGlobal('addEventListener', (type: string, handler: () => void) => handlers.set(type, handler));
  await import('../../../src/islands/offline/worker.ts');
  storage.isFull = true;
  let work: Promise<unknown> | undefined;
  handlers.get('message')?.({
    data: { deleteCoverage: 'river', seq: 5 },
    waitUntil(promise: Promise<unknown>) {
      work = promise;
    },
  });
  await work;
  expect(await kept(...OF_RIVER)).toEqual([]);
});

test("deletes the library's records of deleted pages", async () => {
  await keepAll();
  await store.deleteShowing('/live/river');
  expect([...used.keys()].sort()).toEqual(['/about', '/live/other']);
  await store.deleteAll();
  expect([...used.keys()]).toEqual([]);
  expect(await kept(...ALL)).toEqual([]);
});

test('forgets a withdrawal when no earlier request can be running', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await store.deleteShowing('/live/river', 5);
  const notes = async () => (await (await caches.open('stoppress-withdrawn-1')).keys()).length;
  await store.deleteExpired();
  expect(await notes()).toBe(1);
  vi.setSystemTime(Date.now() + HOUR_MS);
  await store.deleteExpired();
  expect(await notes()).toBe(0);
  vi.useRealTimers();
});
