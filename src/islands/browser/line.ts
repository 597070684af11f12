/** What a browser knows of its line (Network Information, where there is any). */
export type NetworkInformation = {
  saveData?: boolean;
  effectiveType?: string;
  /** A round trip in milliseconds, as the browser reckons it. */
  rtt?: number;
};

/** A round trip in milliseconds from which on the words come first and nothing else comes unasked. */
export const SLOW_ROUND_TRIP_MS = 300;

/** The line as the browser knows it now. */
export function networkInformation(): NetworkInformation {
  return (navigator as { connection?: NetworkInformation }).connection ?? {};
}

/**
 * Is this line too poor for anything that was not asked for? It is where data is saved, on 2G, and where a round trip
 * is slow: by the browser's reckoning, or by how long this page itself took to begin.
 */
export function isPoorConnection(): boolean {
  const { saveData, effectiveType = '', rtt = 0 } = networkInformation();
  return (
    saveData === true || /2g$/.test(effectiveType) || Math.max(rtt, firstResponseMs()) >= SLOW_ROUND_TRIP_MS
  );
}

/** Is it one on which what is worth having is to be little: a poor one, or 3G? */
export const isSlowConnection = (): boolean =>
  isPoorConnection() || networkInformation().effectiveType === '3g';

/**
 * How long this page's line took to answer, in milliseconds: never less than a round trip. Zero where a worker or the
 * browser's own copies answered; what the site itself worked on the page is no fault of the line.
 */
function firstResponseMs(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (!page || page.workerStart > 0 || page.transferSize === 0) return 0;
  const { requestStart, responseStart, serverTiming = [] } = page;
  return serverTiming.reduce((rest, { duration }) => rest - duration, responseStart - requestStart);
}
