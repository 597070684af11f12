import { afterEach, expect, test, vi } from 'vitest';
import connectionDirective from '../../../src/islands/network/connection-directive.ts';

afterEach(() => vi.unstubAllGlobals());

test('starts a visible island when a busy browser reports its two last changes at once', async () => {
  vi.stubGlobal('localStorage', undefined);
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('performance', { getEntriesByType: () => [] });
  let report = (_changes: { isIntersecting: boolean }[]): void => undefined;
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(callback: typeof report) {
        report = callback;
      }
      observe() {}
      disconnect() {}
    },
  );
  const hydrate = vi.fn();
  const load = vi.fn(async () => hydrate);
  const island = { querySelector: () => ({}), addEventListener: () => undefined } as unknown as HTMLElement;
  connectionDirective(load, { name: 'LiveFeed', value: 'visible' }, island);
  report([{ isIntersecting: false }]);
  expect(load).not.toHaveBeenCalled();
  report([{ isIntersecting: false }, { isIntersecting: true }]);
  await vi.waitFor(() => expect(hydrate).toHaveBeenCalledOnce());
});

/** An island on a page of a good connection, which loads as the test says. */
function startIsland(load: () => Promise<() => unknown>, link?: object) {
  const page = new EventTarget();
  const reload = vi.fn();
  vi.stubGlobal('localStorage', undefined);
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('performance', { getEntriesByType: () => [] });
  vi.stubGlobal('window', {});
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('location', { reload });
  const querySelector = (selector: string) => (selector === '[data-again]' ? (link ?? null) : null);
  const island = Object.assign(new EventTarget(), { querySelector });
  connectionDirective(
    load as () => Promise<() => Promise<void>>,
    { name: 'LiveFeed', value: '' },
    island as unknown as HTMLElement,
  );
  return { island, reload, goOnline: () => page.dispatchEvent(new Event('online')) };
}

/** The link that reloads a live page. */
const linkToReload = () => ({ textContent: 'Check for updates', dataset: { again: 'Not followed' } });
const hydrate = async () => () => undefined;
const HYDRATION_ERROR = 'astro:hydration-error';

test('reloads a live page whose script is missing when the connection returns', () => {
  const link = linkToReload();
  const { island, reload, goOnline } = startIsland(hydrate, link);
  goOnline();
  expect(reload).not.toHaveBeenCalled();
  island.dispatchEvent(new Event(HYDRATION_ERROR));
  expect(link.textContent).toBe(link.dataset.again);
  goOnline();
  expect(reload).toHaveBeenCalledOnce();
});

test('keeps a form whose script is missing, because a reload would discard its text', () => {
  const { island, reload, goOnline } = startIsland(hydrate);
  island.dispatchEvent(new Event(HYDRATION_ERROR));
  goOnline();
  expect(reload).not.toHaveBeenCalled();
});

test('reports an island that cannot be hydrated, as if its script were missing', async () => {
  const link = linkToReload();
  const { reload, goOnline } = startIsland(
    async () => () => Promise.reject(new Error('No messages arrived.')),
    link,
  );
  await vi.waitFor(() => expect(link.textContent).toBe(link.dataset.again));
  goOnline();
  expect(reload).toHaveBeenCalledOnce();
});
