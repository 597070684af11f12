/** The browser's Network Information API, where available. */
type NetworkInformation = {
  saveData?: boolean;
  effectiveType?: string;
  /** Estimated round trip in milliseconds. */
  rtt?: number;
};

/** Round trip in milliseconds from which a connection counts as poor. */
export const SLOW_ROUND_TRIP_MS = 300;

/** Connection of this device, as far as the browser can tell. */
type Network = {
  /** False when the browser knows that there is no connection. */
  isOnline: boolean;
  /**
   * Too poor for anything that was not requested: with data saving, on 2G, or with slow round trips by the browser's
   * estimate or this page's own load.
   */
  isPoor: boolean;
  /** Poor or 3G. */
  isSlow: boolean;
};

/** The connection now. */
export function network(): Network {
  const { connection = {}, onLine } = navigator as Navigator & { connection?: NetworkInformation };
  const { saveData, effectiveType = '', rtt = 0 } = connection;
  const isPoor =
    saveData === true || /2g$/.test(effectiveType) || Math.max(rtt, firstResponseMs()) >= SLOW_ROUND_TRIP_MS;
  return { isOnline: onLine !== false, isPoor, isSlow: isPoor || effectiveType === '3g' };
}

/** Calls back when the device goes online or offline. Returns a function that stops it. */
export function onNetworkChange(callback: (isOnline: boolean) => void): () => void {
  const onEvent = ({ type }: Event) => callback(type === 'online');
  window.addEventListener('online', onEvent);
  window.addEventListener('offline', onEvent);
  return () => {
    window.removeEventListener('online', onEvent);
    window.removeEventListener('offline', onEvent);
  };
}

/**
 * Milliseconds until the first byte of this page, without the site's own processing time: at least a round trip. Zero
 * when a worker or cache answered.
 */
function firstResponseMs(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (!page || page.workerStart > 0 || page.transferSize === 0) return 0;
  const { requestStart, responseStart, serverTiming = [] } = page;
  return serverTiming.reduce((rest, { duration }) => rest - duration, responseStart - requestStart);
}
