import { LRUCache } from 'lru-cache';
import { serverBridge } from './server-bridge.ts';

/** Maximum age in milliseconds, for changes whose message was lost. Public pages are fresh for as long. */
const MAX_AGE_MS = 10_000;

/** Maximum number of remembered results of one function. */
const MAX_RESULTS = 100;

type Entry<Result> = { result: Promise<Result>; invalidations: number; at: number };

/**
 * Remembers the results of a function for public pages, so that a rendering reads only the rows that no other page
 * shows. A result is used until the page cache hears of any change, like a page, and for at most `MAX_AGE_MS`. Readings
 * under way are shared. Without a page cache, nothing is remembered.
 * @param isKept whether a result may be used again
 */
export function cacheRows<Result>(
  read: (key: string) => Promise<Result>,
  isKept: (result: Result) => boolean = () => true,
): (key: string) => Promise<Result> {
  const entries = new LRUCache<string, Entry<Result>>({ max: MAX_RESULTS });
  return (key) => {
    const { invalidations } = serverBridge;
    if (invalidations === undefined) return read(key);
    const known = entries.get(key);
    const isCurrent = known?.invalidations === invalidations && performance.now() - known.at < MAX_AGE_MS;
    if (known && isCurrent) return known.result;
    const entry = { result: read(key), invalidations, at: performance.now() };
    const forget = () => {
      if (entries.peek(key) === entry) entries.delete(key);
    };
    entry.result.then((result) => isKept(result) || forget(), forget);
    entries.set(key, entry);
    return entry.result;
  };
}
