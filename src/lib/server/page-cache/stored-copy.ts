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

/** The same body in the forms in which it may be sent; `best` when they cannot be made smaller. */
export type Bodies = { identity: Buffer; gzip?: Buffer; br?: Buffer; best?: true };

/** An answer as the site's pages made it: header names in lower case. */
export type Rendered = { status: number; headers: Record<string, string>; bodies: Bodies };

/** The beginning of a rendering. */
export type Beginning = {
  /** In milliseconds of the cache's clock, which nobody sets: nothing on it is older. */
  madeAt: number;
  /** The same by the clock on the wall, as HTTP writes it. */
  date: string;
  /** Renderings are counted as they begin. */
  order: number;
};

/** A rendering, and what the cache needs to know of it. */
export type Copy = Rendered &
  Beginning & {
    /** Null when it may not be kept. */
    lifetime: Lifetime | null;
    /** The names of what it is made of. */
    tags: string[];
    /** Something on it has changed since: to be served only when no new one can be made. */
    stale: boolean;
    /** How often it was served as it was kept. */
    served: number;
  };

export function copyOf(rendered: Rendered, beginning: Beginning): Copy {
  const { status, headers } = rendered;
  // Whatever it says: an answer that failed, or that speaks to one visitor, is nobody else's.
  const keeps = status < 500 && !headers['set-cookie'];
  const tags = (headers['cache-tag'] ?? '').split(',').filter(Boolean);
  const lifetime = keeps ? readLifetime(headers['cache-control']) : null;
  return { ...rendered, ...beginning, lifetime, tags, stale: false, served: 0 };
}

export const isFresh = ({ lifetime, madeAt, stale }: Copy, now: number) =>
  lifetime !== null && !stale && now - madeAt < lifetime.fresh;

/** May it be served once more while a new one is made? */
export const isUsable = ({ lifetime, madeAt, stale }: Copy, now: number) =>
  lifetime !== null && !stale && now - madeAt < lifetime.revalidating;

/** May it stand in for a rendering that failed? */
export const isSpare = ({ lifetime, madeAt }: Copy, now: number) =>
  lifetime !== null && now - madeAt < lifetime.ifDown;

/** Is it of no use after a moment, whatever happens? So are answers to what changed. */
export const isBrief = ({ lifetime }: Copy) => lifetime !== null && lifetime.ifDown <= BRIEF_MS;

/** Can its body be packed smaller, and is it there for long enough? What lives for a moment is gone before that. */
export const canBeSmaller = ({ bodies, lifetime }: Copy) =>
  bodies.br !== undefined && !bodies.best && lifetime !== null && lifetime.revalidating > lifetime.fresh;

const BRIEF_MS = 2_000;

/** Few bytes are kept once more in the form in which they are sent. */
export const isSmall = (body: Buffer) => body.length <= 8_000;

/** What it takes of memory, in bytes, with what stands around it. */
export function sizeOf(copy: Copy, key: string): number {
  const { identity, gzip, br } = copy.bodies;
  let size = 2_000 + key.length * 2;
  for (const [name, value] of Object.entries(copy.headers)) size += (name.length + value.length) * 4;
  for (const body of [identity, gzip, br]) if (body) size += body.length * (isSmall(body) ? 2 : 1);
  return size;
}

/** How full a cache is, and what that costs. */
export type Sizes = {
  copies: number;
  bytes: number;
  /** Went for want of room, so far. */
  evicted: number;
  rendering: number;
  waiting: number;
  /** Found no room to wait, so far. */
  refused: number;
};
