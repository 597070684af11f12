/** The browser's Network Information, where available. */
export type NetworkInformation = {
  saveData?: boolean;
  effectiveType?: string;
  /** Estimated round trip in milliseconds. */
  rtt?: number;
};

/** Round trip in milliseconds from which a connection counts as poor. */
export const SLOW_ROUND_TRIP_MS = 300;

/** The current network information. */
export function networkInformation(): NetworkInformation {
  return (navigator as { connection?: NetworkInformation }).connection ?? {};
}

/**
 * Whether the connection is too poor for anything that was not requested: with data saving, on 2G, or with slow round
 * trips by the browser's estimate or this page's own load.
 */
export function isPoorConnection(): boolean {
  const { saveData, effectiveType = '', rtt = 0 } = networkInformation();
  return (
    saveData === true || /2g$/.test(effectiveType) || Math.max(rtt, firstResponseMs()) >= SLOW_ROUND_TRIP_MS
  );
}

/** Whether the connection is poor or 3G. */
export const isSlowConnection = (): boolean =>
  isPoorConnection() || networkInformation().effectiveType === '3g';

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
