/** How long an answer may be used, in milliseconds after its rendering began, as its own Cache-Control says. */
export type Lifetime = {
  /** As it is. */
  fresh: number;
  /** While a new one is being made. */
  revalidating: number;
  /** When no new one can be made. */
  ifDown: number;
};

/**
 * What may bridge a fault elsewhere for a minute keeps the paper readable here for a day: nothing is left of what was
 * taken away, because this cache is told of it.
 */
const DOWN_MS = 86_400_000;

/** The lifetime that an answer declares for shared caches (RFC 9111 and 5861); null when they may not keep it. */
export function readLifetime(cacheControl: string | undefined): Lifetime | null {
  if (!cacheControl || /(^|[\s,])(no-store|private|no-cache)\b/.test(cacheControl)) return null;
  const milliseconds = (name: string) =>
    Number(new RegExp(`(?:^|[\\s,])${name}=(\\d{1,9})`).exec(cacheControl)?.[1] ?? 0) * 1000;
  const fresh = milliseconds('s-maxage');
  if (fresh === 0) return null;
  return {
    fresh,
    revalidating: fresh + milliseconds('stale-while-revalidate'),
    ifDown: milliseconds('stale-if-error') > 0 ? fresh + DOWN_MS : fresh,
  };
}

/**
 * The header fields that tell a policy to other caches. `stale-while-revalidate` is for CDNs alone (RFC 9213): a browser
 * must not apply it, because Firefox would show a reader who checks for updates the page from before.
 */
export function policyFields(cacheControl: string): string[] {
  const forBrowsers = cacheControl.replace(/, stale-while-revalidate=\d+/, '');
  if (forBrowsers === cacheControl) return ['cache-control', cacheControl];
  const forCdns = cacheControl.replace('max-age=0, s-maxage=', 'max-age=');
  return ['cache-control', forBrowsers, 'cdn-cache-control', forCdns];
}
