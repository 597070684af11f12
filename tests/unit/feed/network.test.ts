import { afterEach, expect, test, vi } from 'vitest';
import { network, SLOW_ROUND_TRIP_MS } from '../../../src/islands/network/network.ts';

const SLOW = SLOW_ROUND_TRIP_MS;

/** Navigation timing with a request at 50 ms and this round trip. */
function loaded(roundTrip: number, more: Partial<PerformanceNavigationTiming> = {}) {
  const page = {
    requestStart: 50,
    responseStart: 50 + roundTrip,
    workerStart: 0,
    transferSize: 900,
    ...more,
  };
  vi.stubGlobal('performance', { getEntriesByType: () => [page] });
}
const line = (connection?: object) => vi.stubGlobal('navigator', { connection });

afterEach(() => vi.unstubAllGlobals());

test.each([
  { saveData: true, effectiveType: '4g', rtt: 50 },
  { effectiveType: '2g' },
  { effectiveType: 'slow-2g' },
  { effectiveType: '4g', rtt: SLOW },
])('a connection is poor if the browser reports %o', (known) => {
  loaded(20);
  line(known);
  expect(network().isPoor).toBe(true);
});

test.each([undefined, {}, { effectiveType: '4g', rtt: SLOW - 1 }, { effectiveType: '3g', saveData: false }])(
  'one known as %o is poor only where the page itself was slow to begin',
  (known) => {
    line(known);
    loaded(SLOW - 1);
    expect(network().isPoor).toBe(false);
    loaded(SLOW);
    expect(network().isPoor).toBe(true);
  },
);

test('learns nothing from a page of the service worker, or from a slow rendering', () => {
  line();
  loaded(9 * SLOW, { workerStart: 10 });
  expect(network().isPoor).toBe(false);
  loaded(9 * SLOW, { transferSize: 0 });
  expect(network().isPoor).toBe(false);
  const making = { duration: 8.5 * SLOW } as PerformanceServerTiming;
  loaded(9 * SLOW, { serverTiming: [making] });
  expect(network().isPoor).toBe(false);
  loaded(9.5 * SLOW, { serverTiming: [making] });
  expect(network().isPoor).toBe(true);
});

test('learns nothing without navigation timing', () => {
  line();
  vi.stubGlobal('performance', { getEntriesByType: () => [] });
  expect(network().isPoor).toBe(false);
});
