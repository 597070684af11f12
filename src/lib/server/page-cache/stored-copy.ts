/** How long a response may be used, in milliseconds after its rendering began (from its Cache-Control header). */
export type Lifetime = {
  /** `s-maxage`: may be served as it is. */
  fresh: number;
  /** Plus `stale-while-revalidate`: may be served while a new one is rendered. */
  revalidating: number;
  /** May be served when rendering fails. */
  ifDown: number;
};

/**
 * Other caches may use `stale-if-error` for a minute only. This cache keeps the site readable for a day when the
 * backend is down, because invalidation tells it about removed content.
 */
const DOWN_MS = 86_400_000;

/**
 * Parses the lifetime for shared caches from Cache-Control (RFC 9111 and RFC 5861). Null when they must not store the
 * response.
 */
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
 * Header fields with the cache policy for clients and CDNs. `stale-while-revalidate` is sent to CDNs only (RFC 9213):
 * Firefox would apply it and show a reader who checks for updates the old page.
 */
export function policyFields(cacheControl: string): string[] {
  const forBrowsers = cacheControl.replace(/, stale-while-revalidate=\d+/, '');
  if (forBrowsers === cacheControl) return ['cache-control', cacheControl];
  const forCdns = cacheControl.replace('max-age=0, s-maxage=', 'max-age=');
  return ['cache-control', forBrowsers, 'cdn-cache-control', forCdns];
}

/** One body in several encodings. `best`: they are compressed as far as possible. */
export type Bodies = { identity: Buffer; gzip?: Buffer; br?: Buffer; best?: true };

/** A rendered response. Header names are in lower case. */
export type Rendered = { status: number; headers: Record<string, string>; bodies: Bodies };

/** When a rendering began. */
export type Beginning = {
  /** On the cache's monotonic clock, in milliseconds. Nothing in the response is older. */
  madeAt: number;
  /** The same moment as an HTTP date. */
  date: string;
  /** Sequential number of the rendering. */
  order: number;
};

/** A rendered response with its cache metadata. */
export type Copy = Rendered &
  Beginning & {
    /** Null when the response must not be stored. */
    lifetime: Lifetime | null;
    /** Cache tags of the content that the response shows. */
    tags: string[];
    /** Whether one of its tags was invalidated: it may be served only when rendering fails. */
    stale: boolean;
    /** How often the response was served from the store. */
    served: number;
  };

export function copyOf(rendered: Rendered, beginning: Beginning): Copy {
  const { status, headers } = rendered;
  // Responses with a status of 500 and above or with a cookie are never shared, whatever their header says.
  const keeps = status < 500 && !headers['set-cookie'];
  const tags = (headers['cache-tag'] ?? '').split(',').filter(Boolean);
  const lifetime = keeps ? readLifetime(headers['cache-control']) : null;
  return { ...rendered, ...beginning, lifetime, tags, stale: false, served: 0 };
}

export const isFresh = ({ lifetime, madeAt, stale }: Copy, now: number) =>
  lifetime !== null && !stale && now - madeAt < lifetime.fresh;

/** Whether it may be served once more while a new one is rendered. */
export const isUsable = ({ lifetime, madeAt, stale }: Copy, now: number) =>
  lifetime !== null && !stale && now - madeAt < lifetime.revalidating;

/** Whether it may be served because rendering failed. */
export const isSpare = ({ lifetime, madeAt }: Copy, now: number) =>
  lifetime !== null && now - madeAt < lifetime.ifDown;

/** Whether it expires within seconds, like a changes response. */
export const isBrief = ({ lifetime }: Copy) => lifetime !== null && lifetime.ifDown <= BRIEF_MS;

/** Whether it lives long enough that recompressing its body is worth it. */
export const canBeSmaller = ({ bodies, lifetime }: Copy) =>
  bodies.br !== undefined && !bodies.best && lifetime !== null && lifetime.revalidating > lifetime.fresh;

const BRIEF_MS = 2_000;

/** Small bodies are also stored in the form in which they are sent, which doubles their size. */
export const isSmall = (body: Buffer) => body.length <= 8_000;

/** Estimated memory of a stored response, in bytes. */
export function sizeOf(copy: Copy, key: string): number {
  const { identity, gzip, br } = copy.bodies;
  let size = 2_000 + key.length * 2;
  for (const [name, value] of Object.entries(copy.headers)) size += (name.length + value.length) * 4;
  for (const body of [identity, gzip, br]) if (body) size += body.length * (isSmall(body) ? 2 : 1);
  return size;
}

/** Size and load of a cache. */
export type Sizes = {
  copies: number;
  bytes: number;
  /** Responses evicted for lack of memory since the start. */
  evicted: number;
  rendering: number;
  waiting: number;
  /** Renderings rejected by the queue since the start. */
  refused: number;
};
