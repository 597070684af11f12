import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type SavedCopy, startSavingCopy } from '../../../src/islands/live-feed/feed.ts';

/** A service worker that records its messages. A redundant one receives none. */
function fakeWorker() {
  const received: unknown[] = [];
  return {
    received,
    state: 'activated',
    postMessage(message: unknown) {
      if (this.state !== 'redundant') received.push(message);
    },
  };
}

type FakeWorker = ReturnType<typeof fakeWorker>;

const page = { visibility: new EventTarget(), hidden: false };
let registration: { active: FakeWorker };
let copy: SavedCopy;

beforeEach(async () => {
  vi.stubEnv('DEV', false);
  registration = { active: fakeWorker() };
  const findRegistration = vi.fn(async () => registration);
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: findRegistration, controller: {} } });
  vi.stubGlobal('performance', { getEntriesByType: () => [] });
  vi.stubGlobal('location', { pathname: '/live/river', search: '' });
  page.hidden = false;
  vi.stubGlobal('document', {
    get hidden() {
      return page.hidden;
    },
    addEventListener: page.visibility.addEventListener.bind(page.visibility),
    removeEventListener: page.visibility.removeEventListener.bind(page.visibility),
  });
  copy = startSavingCopy({ dataset: { slug: 'river', seq: '1' } } as unknown as HTMLElement);
  await vi.waitFor(() => expect(findRegistration).toHaveResolved());
});
afterEach(() => {
  copy.stop();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** Replaces the active worker, as an update of the site does. */
function replaceWorker(): FakeWorker {
  registration.active.state = 'redundant';
  registration.active = fakeWorker();
  return registration.active;
}

const article = (isWithdrawn: boolean) =>
  ({
    classList: { contains: () => isWithdrawn },
    querySelector: () => null,
  }) as unknown as HTMLElement;

test('reports a withdrawn update to the worker that has replaced an earlier one', async () => {
  const newer = replaceWorker();
  copy.update(2, [article(true)]);
  await vi.waitFor(() =>
    expect(newer.received).toEqual([{ deleteCoverage: 'river', savePath: '/live/river', seq: 2 }]),
  );
});

test('reports a withdrawn coverage to the worker that has replaced an earlier one', async () => {
  const newer = replaceWorker();
  copy.delete();
  await vi.waitFor(() => expect(newer.received).toEqual([{ deleteCoverage: 'river' }]));
});

test('saves a changed page with the worker that has replaced an earlier one when the reader leaves', async () => {
  const newer = replaceWorker();
  copy.update(2, [article(false)]);
  page.hidden = true;
  page.visibility.dispatchEvent(new Event('visibilitychange'));
  await vi.waitFor(() => expect(newer.received).toEqual([{ savePath: '/live/river', seq: 2 }]));
});
