import { beforeEach, expect, test, vi } from 'vitest';
import { type Cache, createCache } from '../../../src/lib/server/page-cache/cache.ts';
import type { RenderedResponse } from '../../../src/lib/server/page-cache/cached-response.ts';
import { NotRendered } from '../../../src/lib/server/page-cache/renderings.ts';

const PAGE = 'public, max-age=0, s-maxage=10, stale-while-revalidate=20, stale-if-error=86400';
const CHANGES = 'public, max-age=0, s-maxage=2, must-revalidate';

type Asked = { key: string; answer(text: string, more?: Partial<Answer>): void; fail(error: Error): void };
type Answer = { status: number; control: string; tags: string };

let asked: Asked[];
let cache: Cache;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  cache = createCache({ render });
  return () => void vi.useRealTimers();
});

function render(key: string): Promise<RenderedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RenderedResponse>();
  asked.push({
    key,
    answer: (text, { status = 200, control = PAGE, tags = 'site,coverage:1' } = {}) =>
      resolve({
        status,
        headers: { 'cache-control': control, 'cache-tag': tags },
        bodies: { identity: Buffer.from(text) },
      }),
    fail: reject,
  });
  return promise;
}

/** Asks; what it is told stands in `text` as soon as it is. */
function ask(key = '/a') {
  const answer: { text?: string; status?: number; error?: unknown } = {};
  cache.fetch(key).then(
    ({ bodies, status }) => Object.assign(answer, { text: bodies.identity.toString(), status }),
    (error: unknown) => Object.assign(answer, { error }),
  );
  return answer;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

/** The rendering asked for last. */
function last(): Asked {
  const rendering = asked.at(-1);
  if (!rendering) throw new Error('Nothing was asked for.');
  return rendering;
}

/** Asks, renders and waits. */
async function fill(text: string, more: Partial<Answer> & { key?: string } = {}) {
  const answer = ask(more.key);
  await settle();
  last().answer(text, more);
  await settle();
  expect(answer.text).toBe(text);
}

test('one rendering serves all who ask meanwhile, and who asks while it is fresh', async () => {
  const answers = [ask(), ask(), ask()];
  await settle();
  expect(asked).toHaveLength(1);
  last().answer('one');
  await settle();
  expect(answers.map(({ text }) => text)).toEqual(['one', 'one', 'one']);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('one');
  const later = ask();
  await settle();
  expect(later.text).toBe('one');
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(cache.lookup('/a')).toBeUndefined();
});

test('an old copy is served while one new one is made, for as long as it says', async () => {
  await fill('one');
  await vi.advanceTimersByTimeAsync(29_999);
  const answers = [ask(), ask()];
  await settle();
  expect(answers.map(({ text }) => text)).toEqual(['one', 'one']);
  expect(asked).toHaveLength(2);
  last().answer('two');
  await settle();
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');
  await vi.advanceTimersByTimeAsync(30_000);
  const late = ask();
  await settle();
  expect(late).toEqual({});
});

test.for([-3_600_000, 3_600_000])(
  'a clock that is set by %i ms makes nothing older or younger',
  async (step) => {
    await fill('one');
    vi.setSystemTime(Date.now() + step);
    expect(cache.lookup('/a')).toBeDefined();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(cache.lookup('/a')).toBeUndefined();
    cache.purge(['coverage:1'], 'gone');
    ask();
    await settle();
    last().fail(new Error('down'));
    await settle();
    vi.setSystemTime(Date.now() + step);
    asked = [];
    await vi.advanceTimersByTimeAsync(1_000);
    await fill('two');
  },
);

test('what says so is never served old', async () => {
  await fill('one', { control: CHANGES });
  await vi.advanceTimersByTimeAsync(2_000);
  const later = ask();
  await settle();
  expect(later).toEqual({});
  last().fail(new Error('down'));
  await settle();
  expect(later).toEqual({ error: new Error('down') });
});

test.for(['stale', 'gone'] as const)('what changed (%s) is not served to who asks after it', async (how) => {
  await fill('one');
  await fill('other', { key: '/b', tags: 'site,coverage:2' });
  cache.purge(['coverage:1'], how);
  expect(cache.lookup('/a')).toBeUndefined();
  expect(cache.lookup('/b')).toBeDefined();
  const later = ask();
  await settle();
  expect(later).toEqual({});
  last().answer('two');
  await settle();
  expect(later.text).toBe('two');
  cache.purgeAll(how);
  expect(cache.lookup('/a') ?? cache.lookup('/b')).toBeUndefined();
});

test('a rendering begun before a change is for those who asked before it, and is not kept', async () => {
  const before = ask();
  await settle();
  const old = last();
  cache.purge(['coverage:1'], 'stale');
  const after = ask();
  await settle();
  expect(asked).toHaveLength(2);
  const young = last();
  young.answer('two');
  await settle();
  old.answer('one');
  await settle();
  expect([before.text, after.text]).toEqual(['one', 'two']);
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');
});

test('a rendering that shows nothing of what changed is kept, but not over a later one', async () => {
  const before = ask();
  await settle();
  const old = last();
  cache.purge(['coverage:2'], 'stale');
  ask();
  await settle();
  expect(asked).toHaveLength(2);
  last().answer('two');
  await settle();
  old.answer('one');
  await settle();
  expect(before.text).toBe('one');
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');

  ask('/b');
  await settle();
  cache.purge(['coverage:2'], 'stale');
  last().answer('kept');
  await settle();
  expect(cache.lookup('/b')?.bodies.identity.toString()).toBe('kept');

  ask('/c');
  await settle();
  cache.purgeAll('stale');
  last().answer('not kept');
  await settle();
  expect(cache.lookup('/c')).toBeUndefined();
});

test.for([
  ['throws', (rendering: Asked) => rendering.fail(new Error('down'))],
  ['answers 503', (rendering: Asked) => rendering.answer('down', { status: 503, control: 'no-store' })],
  ['takes too long', () => vi.advanceTimersByTime(10_000)],
] as const)(
  'the last copy stands in for a rendering that %s, for a day, unless it is gone',
  async ([_, fail]) => {
    await fill('one');
    cache.purge(['coverage:1'], 'stale');
    const answer = ask();
    await settle();
    fail(last());
    await settle();
    expect(answer.text).toBe('one');
    await vi.advanceTimersByTimeAsync(86_000_000);
    const dayAfter = ask();
    await settle();
    fail(last());
    await settle();
    expect(dayAfter.text).toBe('one');
    await vi.advanceTimersByTimeAsync(1_000);
    cache.purge(['coverage:1'], 'gone');
    const gone = ask();
    await settle();
    fail(last());
    await settle();
    expect(gone.text ?? 'nothing').not.toBe('one');
  },
);

test('after a day the last copy stands in for nothing', async () => {
  await fill('one');
  await vi.advanceTimersByTimeAsync(86_410_000);
  const answer = ask();
  await settle();
  last().fail(new Error('down'));
  await settle();
  expect(answer).toEqual({ error: new Error('down') });
});

test('a failure is remembered for a second, or until something changes', async () => {
  ask();
  await settle();
  last().answer('down', { status: 503, control: 'no-store' });
  await vi.advanceTimersByTimeAsync(999);
  const again = ask();
  await settle();
  expect(asked).toHaveLength(1);
  expect(again).toEqual({ text: 'down', status: 503 });
  cache.purge(['coverage:2'], 'stale');
  ask();
  await settle();
  expect(asked).toHaveLength(2);
  // It began before the change, so it says nothing of what is there after it.
  cache.purge(['coverage:2'], 'stale');
  last().fail(new Error('down'));
  await settle();
  ask();
  await settle();
  expect(asked).toHaveLength(3);
  last().fail(new Error('down'));
  await vi.advanceTimersByTimeAsync(1_000);
  await fill('one');
});

test('while a backend hangs, nobody waits for whom there is a copy, but the first, three seconds; one attempt at a time is made', async () => {
  await fill('one');
  cache.purge(['coverage:1'], 'stale');
  const first = ask();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(first).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  expect(first.text).toBe('one');
  await vi.advanceTimersByTimeAsync(7_000);
  asked = [];
  for (let second = 0; second < 60; second++) {
    const answer = ask();
    await settle();
    expect(answer.text).toBe('one');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  // Each takes 10 s, and is followed by a pause as long.
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(10_000);
  ask();
  await settle();
  last().answer('two');
  await settle();
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');
});

test('without a copy, a backend that hangs is waited for half of the time at most', async () => {
  ask();
  await vi.advanceTimersByTimeAsync(5_000);
  last().fail(new Error('no answer'));
  await vi.advanceTimersByTimeAsync(4_999);
  const soon = ask();
  await settle();
  expect(soon).toEqual({ error: new Error('no answer') });
  await vi.advanceTimersByTimeAsync(1);
  const later = ask();
  await settle();
  expect(asked).toHaveLength(2);
  expect(later).toEqual({});
});

test.for([
  ['soon', 1, 1_000],
  ['late', 10_000, 30_000],
] as const)(
  'a failure that came %s is no reason to serve an old copy at once for ever',
  async ([_, took, stands]) => {
    await fill('one');
    cache.purge(['coverage:1'], 'stale');
    ask();
    await vi.advanceTimersByTimeAsync(took);
    last().fail(new Error('down'));
    await vi.advanceTimersByTimeAsync(stands - 1);
    const before = ask();
    await settle();
    expect(before.text).toBe('one');
    last().fail(new Error('down'));
    await vi.advanceTimersByTimeAsync(stands);
    const after = ask();
    await settle();
    expect(after).toEqual({});
  },
);

test('after a change nothing is served as it was before a new rendering has failed too', async () => {
  await fill('one');
  cache.purge(['coverage:1'], 'stale');
  ask();
  await vi.advanceTimersByTimeAsync(10_000);
  cache.purge(['coverage:1'], 'stale');
  const answer = ask();
  await settle();
  expect(answer).toEqual({});
});

test.for([
  'no-store',
  'private, no-store',
  'public, max-age=60',
  'public, s-maxage=60, no-cache',
  'public, s-maxage=60, no-store',
])('what says "%s" is not kept', async (control) => {
  await fill('one', { control });
  await fill('two', { control });
  expect(asked).toHaveLength(2);
});

test('what failed, or speaks to one visitor, is not kept whatever it says', async () => {
  await fill('one', { status: 500 });
  expect(cache.lookup('/a')).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_000);
  cache = createCache({
    render: async () => ({
      status: 200,
      headers: { 'cache-control': PAGE, 'set-cookie': 'a=b' },
      bodies: { identity: Buffer.from('yours') },
    }),
  });
  await cache.fetch('/a');
  expect(cache.lookup('/a')).toBeUndefined();
});

test.for([
  ['one of its names', () => cache.purge(['coverage:1'], 'gone')],
  ['everything', () => cache.purgeAll('gone')],
] as const)('what shows something that was taken away is for nobody: %s', async ([_, purge]) => {
  const before = ask();
  await settle();
  purge();
  last().answer('taken away');
  await settle();
  expect(before).toEqual({});
  expect(asked).toHaveLength(2);
  last().answer('what is left');
  await settle();
  expect(before.text).toBe('what is left');
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('what is left');
});

test('what is taken away again and again is not rendered for ever', async () => {
  const before = ask();
  await settle();
  for (let n = 1; n <= 10; n++) {
    expect(asked).toHaveLength(n);
    expect(before).toEqual({});
    cache.purge(['coverage:1'], 'gone');
    last().answer('taken away');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  cache.purge(['coverage:1'], 'gone');
  last().answer('taken away');
  await settle();
  expect(before.error).toBeInstanceOf(NotRendered);
});

const keysAsked = () => asked.map(({ key }) => key);

test('half of the turns are for what more than one waits for, and of that the most wanted goes first', async () => {
  cache = createCache({ render, concurrency: 4 });
  for (const key of ['/1', '/2', '/3', '/4', '/4', '/5', '/5']) ask(key);
  await settle();
  expect(keysAsked()).toEqual(['/1', '/2', '/4', '/5']);
  for (const key of ['/6', '/6', '/7', '/7', '/7']) ask(key);
  for (const done of [0, 1, 2]) {
    asked[done]?.answer('done');
    await settle();
  }
  expect(keysAsked()).toEqual(['/1', '/2', '/4', '/5', '/7', '/6', '/3']);
});

test('what is known already goes before what nobody has asked for before', async () => {
  cache = createCache({ render, concurrency: 2 });
  await fill('known', { key: '/known', control: CHANGES });
  await vi.advanceTimersByTimeAsync(2_000);
  asked = [];
  ask('/1');
  ask('/2');
  ask('/known');
  await settle();
  expect(keysAsked()).toEqual(['/1', '/known']);
});

test('so many wait; one more takes the place of what was asked for least', async () => {
  cache = createCache({ render, concurrency: 2, capacity: 2 });
  await fill('known', { key: '/known', control: CHANGES });
  await vi.advanceTimersByTimeAsync(2_000);
  asked = [];
  const keys = ['/1', '/2', '/3', '/4', '/4', '/5', '/6', '/known'];
  const answers = keys.map((key) => ask(key));
  await settle();
  expect(keys.filter((_, n) => answers[n]?.error instanceof NotRendered)).toEqual(['/2', '/3', '/5']);
  expect(keysAsked()).toEqual(['/1', '/4']);
  for (let n = 0; n < 4; n++) {
    for (const { answer } of [...asked]) answer('done');
    await settle();
  }
  expect(keysAsked()).toEqual(['/1', '/4', '/known', '/6']);
});

test('what many wait for does not give way to what came after it', async () => {
  cache = createCache({ render, concurrency: 1, capacity: 2 });
  const keys = ['/1', '/2', '/2', '/2', '/3', '/4'];
  const answers = keys.map((key) => ask(key));
  await settle();
  expect(keys.filter((_, n) => answers[n]?.error)).toEqual(['/3']);
});

test('nobody waits for a turn longer than for a rendering', async () => {
  cache = createCache({ render, concurrency: 1, timeoutMs: 10_000 });
  await fill('known', { key: '/known', tags: 'coverage:2' });
  cache.purge(['coverage:2'], 'stale');
  ask('/1');
  await vi.advanceTimersByTimeAsync(1_000);
  // What more want has the turn that becomes free meanwhile.
  for (let n = 0; n < 3; n++) ask('/2');
  const [unknown, known] = [ask('/3'), ask('/known')];
  await vi.advanceTimersByTimeAsync(9_999);
  expect([keysAsked().at(-1), unknown, known]).toEqual(['/2', {}, { text: 'known', status: 200 }]);
  await vi.advanceTimersByTimeAsync(1);
  expect(unknown.error).toBeInstanceOf(NotRendered);
});

test('who has waited three seconds for a newer page is shown the last one, and never one that is gone', async () => {
  await fill('known', { tags: 'coverage:1' });
  await fill('other', { key: '/b', tags: 'coverage:2' });
  cache.purge(['coverage:1', 'coverage:2'], 'stale');
  const [known, gone] = [ask(), ask('/b')];
  await vi.advanceTimersByTimeAsync(2_999);
  expect([known, gone]).toEqual([{}, {}]);
  cache.purge(['coverage:2'], 'gone');
  await vi.advanceTimersByTimeAsync(1);
  expect([known.text, gone.text]).toEqual(['known', undefined]);
  // What was being made meanwhile is for who comes next.
  asked.findLast(({ key }) => key === '/a')?.answer('new');
  await settle();
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('new');
});

test('one that waits for its turn has not begun: who asks after a change may share it', async () => {
  cache = createCache({ render, concurrency: 1 });
  ask('/1');
  const before = ask('/2');
  await settle();
  cache.purge(['coverage:1'], 'stale');
  const after = ask('/2');
  last().answer('one');
  await settle();
  expect(asked.map(({ key }) => key)).toEqual(['/1', '/2']);
  last().answer('two');
  await settle();
  expect([before.text, after.text]).toEqual(['two', 'two']);
  expect(cache.lookup('/2')).toBeDefined();
});

test('copies are kept within a bound, the last used ones, and nothing is left of the others', async () => {
  cache = createCache({ render, maxBytes: 100_000 });
  const page = 'x'.repeat(9_000);
  for (let n = 0; n < 30; n++) {
    await fill(page, { key: `/${n}`, tags: `coverage:${n}` });
    expect(cache.lookup('/0')).toBeDefined();
  }
  expect(cache.size()).toMatchObject({ copies: 8, tags: 8 });
  expect(cache.size().bytes).toBeLessThanOrEqual(100_000);
  await fill('x'.repeat(20_000), { key: '/large' });
  expect(cache.lookup('/large')).toBeUndefined();
  cache.purgeAll('gone');
  expect(cache.size()).toMatchObject({ bytes: 0, copies: 0, tags: 0 });
});
