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
