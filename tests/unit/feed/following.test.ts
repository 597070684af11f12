import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startFollowing } from '../../../src/islands/live-feed/following.ts';
import { $freshness, $pauseReasons, $reload } from '../../../src/islands/live-feed/store.ts';

const PAGE = {
  id: 'c1',
  slug: 'river',
  seq: '5',
  build: 'b1',
  state: 'scheduled',
  follow: 'checks',
  interval: '10',
};
/** A changes response without changes, as data attributes. */
const NO_CHANGES = { through: '5', build: 'b1', state: 'scheduled', follow: 'checks', interval: '10' };
const FAR_BEHIND = { ...NO_CHANGES, reload: 'true', state: 'live' };
/** Time of the page, before the first check. */
const MADE_AT = 1000;

/** Opens a page that gets the same response to each check. */
function follow(response: Record<string, string | undefined>, page = PAGE) {
  const fetched = vi.fn(async () => new Response('changes'));
  const onUpToDate = vi.fn();
  const root = { dataset: response, querySelectorAll: () => [] };
  vi.stubGlobal('fetch', fetched);
  vi.stubGlobal(
    'DOMParser',
    class {
      parseFromString = () => ({ querySelector: () => root });
    },
  );
  stop = startFollowing({
    page: { dataset: page } as unknown as HTMLElement,
    apply: () => undefined,
    onUpToDate,
    onWithdrawn: () => undefined,
  });
  return { fetched, onUpToDate };
}

let stop = () => {};
let reasons: string[];
const stopListening = $reload.listen((reason) => reasons.push(reason));

beforeEach(() => {
  vi.useFakeTimers();
  $reload.set('no');
  $pauseReasons.setKey('started', true);
  $freshness.setKey('checked', MADE_AT);
  reasons = [];
});
afterEach(() => {
  stop();
  $reload.set('no');
  $pauseReasons.setKey('started', false);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
afterAll(() => stopListening());

test('stops checking when a waiting page is too far behind to be updated', async () => {
  const { fetched } = follow(FAR_BEHIND);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetched).toHaveBeenCalledOnce();
  expect(reasons).toEqual(['lost']);
});

test('keeps the time of a page that is too far behind to be updated', async () => {
  const { fetched, onUpToDate } = follow(FAR_BEHIND, { ...PAGE, state: 'live' });
  await vi.advanceTimersByTimeAsync(0);
  expect(fetched).toHaveBeenCalledOnce();
  expect(onUpToDate).not.toHaveBeenCalled();
  expect($freshness.get().checked).toBe(MADE_AT);
});

test('announces once that a coverage has begun, also with a newer build', async () => {
  const { fetched } = follow({ ...NO_CHANGES, state: 'live', build: 'b2' });
  await vi.advanceTimersByTimeAsync(25_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  expect(reasons).toEqual(['begun']);
});

test.for([{ build: 'b2' }, { settings: 'true' }])('offers a newer page for %o', async (change) => {
  follow({ ...NO_CHANGES, ...change });
  await vi.advanceTimersByTimeAsync(25_000);
  expect(reasons).toEqual(['newer']);
});

test('offers no reload without a reason', async () => {
  follow(NO_CHANGES);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(reasons).toEqual([]);
});
