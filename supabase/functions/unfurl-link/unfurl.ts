import { LIMITS } from '../_shared/limits.ts';
import { Refused } from '../_shared/refusals.ts';
import { isAddress, isPublic, type Target, targetOf } from './address.ts';
import { ask, NotHttp, TooMuch, type Answer, type Wire } from './http-client.ts';
import { type Description, oneLine, readHead } from './head.ts';

/** Network access, replaceable in tests. */
export type Net = {
  /** Returns all IPv4 and IPv6 addresses of a name. Throws if there are none. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to exactly this address; uses TLS for the target's host if it is secure. */
  connect(address: string, target: Target, signal: AbortSignal): Promise<Wire>;
};

/** Limits for opening a page. */
export const BOUNDS = { ms: 5_000, bytes: 1_000_000, redirects: 5 };

export type Unfurled = Description & { title: string };

/**
 * Returns the metadata of the page at a URL.
 * @throws Refused `invalid`, `too_large`, `unavailable`
 */
export async function unfurl(link: string, net: Net, bounds = BOUNDS): Promise<Unfurled> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), bounds.ms);
  const tooLate = new Promise<never>((_, reject) => {
    late.signal.addEventListener('abort', () => reject(new Error('too late')));
  });
  try {
    // Handles both rejections: an unhandled one would end the function.
    const { title, ...more } = await Promise.race([follow(link, net, bounds, late.signal), tooLate]);
    return { title: title ?? nameOf(link), ...more };
  } catch (error) {
    throw asRefused(error);
  } finally {
    clearTimeout(timer);
    // Closes all open connections.
    late.abort();
  }
}

async function follow(
  link: string,
  net: Net,
  { bytes, redirects }: typeof BOUNDS,
  signal: AbortSignal,
): Promise<Description> {
  let target = targetOf(link);
  for (let left = redirects; ; left--) {
    const wire = await open(target, net, signal);
    signal.addEventListener('abort', () => wire.close());
    const answer = await ask(target, wire, bytes);
    const location = isRedirect(answer) && answer.headers.get('location');
    if (!location) return await describe(answer, bytes);
    wire.close();
    if (left === 0) throw refuse('too_many_redirects');
    target = targetOf(location, target.url);
  }
}

/** Resolves the name once, requires all its addresses to be public, and connects to one of them. */
async function open(target: Target, net: Net, signal: AbortSignal): Promise<Wire> {
  const { host } = target;
  const addresses = isAddress(host) ? [host] : await net.resolve(host, signal);
  if (addresses.length === 0) throw new Refused('unavailable', 'page_unreachable');
  if (!addresses.every(isPublic)) throw refuse('address_not_public');
  let last: unknown;
  for (const address of addresses.slice(0, MOST_TRIES)) {
    try {
      return await net.connect(address, target, signal);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

const MOST_TRIES = 4;

const isRedirect = ({ status }: Answer) => [301, 302, 303, 307, 308].includes(status);

async function describe({ status, headers, body }: Answer, bytes: number): Promise<Description> {
  if (status >= 500 || status === 429) throw new Refused('unavailable', 'page_unreachable');
  if (status !== 200) throw refuse('page_not_found');
  const type = headers.get('content-type') ?? '';
  if (!/^(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)) throw refuse('not_a_web_page');
  return readHead(body, type, bytes);
}

/** Returns host and path as the title of a page without one. */
function nameOf(link: string): string {
  return oneLine(link.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, ''), LIMITS.link_title);
}

/** Hides the cause of network errors, which would reveal the internal network. */
function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof TooMuch) return new Refused('too_large', 'page_too_large', { field: 'url' });
  if (error instanceof NotHttp) return refuse('not_a_web_page');
  return new Refused('unavailable', 'page_unreachable');
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });
