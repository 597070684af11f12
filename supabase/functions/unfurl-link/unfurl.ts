import { LIMITS } from '../_shared/limits.ts';
import { Refused } from '../_shared/refusals.ts';
import { type ConnectionTarget, connectionTarget, isAddress, isPublicAddress } from './address.ts';
import { cleanLine, type PageMetadata, readPageMetadata } from './head.ts';
import {
  type HttpResponse,
  InvalidResponse,
  ResponseTooLarge,
  requestPage,
  type TcpConnection,
} from './http-client.ts';

/** Network access, replaceable in tests. */
export type NetworkAccess = {
  /** Returns all IPv4 and IPv6 addresses of a name. Throws if there are none. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to exactly this address; uses TLS for the target's host if it is secure. */
  connect(address: string, target: ConnectionTarget, signal: AbortSignal): Promise<TcpConnection>;
};

/** Limits for opening a page. */
export const PAGE_LIMITS = { ms: 5_000, bytes: 1_000_000, redirects: 5 };

type LinkMetadata = PageMetadata & { title: string };

/**
 * Returns the metadata of the page at a URL.
 * @throws Refused `invalid`, `too_large`, `unavailable`
 */
export async function unfurl(link: string, net: NetworkAccess, limits = PAGE_LIMITS): Promise<LinkMetadata> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limits.ms);
  const timeout = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(new Error('too late')));
  });
  try {
    // Handles both rejections: an unhandled one would end the function.
    const { title, ...more } = await Promise.race([
      followRedirects(link, net, limits, abort.signal),
      timeout,
    ]);
    return { title: title ?? titleFromUrl(link), ...more };
  } catch (error) {
    throw asRefused(error);
  } finally {
    clearTimeout(timer);
    // Closes all open connections.
    abort.abort();
  }
}

async function followRedirects(
  link: string,
  net: NetworkAccess,
  { bytes, redirects }: typeof PAGE_LIMITS,
  signal: AbortSignal,
): Promise<PageMetadata> {
  let target = connectionTarget(link);
  for (let left = redirects; ; left--) {
    const connection = await connect(target, net, signal);
    signal.addEventListener('abort', () => connection.close());
    const answer = await requestPage(target, connection, bytes);
    const location = isRedirect(answer) && answer.headers.get('location');
    if (!location) return await readResponse(answer, bytes);
    connection.close();
    if (left === 0) throw refuse('too_many_redirects');
    target = connectionTarget(location, target.url);
  }
}

/** Resolves the name once, requires all its addresses to be public, and connects to one of them. */
async function connect(
  target: ConnectionTarget,
  net: NetworkAccess,
  signal: AbortSignal,
): Promise<TcpConnection> {
  const { host } = target;
  const addresses = isAddress(host) ? [host] : await net.resolve(host, signal);
  if (addresses.length === 0) throw new Refused('unavailable', 'page_unreachable');
  if (!addresses.every(isPublicAddress)) throw refuse('address_not_public');
  let last: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await net.connect(address, target, signal);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

const MAX_ADDRESSES = 4;

const isRedirect = ({ status }: HttpResponse) => [301, 302, 303, 307, 308].includes(status);

async function readResponse({ status, headers, body }: HttpResponse, bytes: number): Promise<PageMetadata> {
  if (status >= 500 || status === 429) throw new Refused('unavailable', 'page_unreachable');
  if (status !== 200) throw refuse('page_not_found');
  const type = headers.get('content-type') ?? '';
  if (!/^(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)) throw refuse('not_a_web_page');
  return readPageMetadata(body, type, bytes);
}

/** Returns host and path as the title of a page without one. */
function titleFromUrl(link: string): string {
  return cleanLine(link.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, ''), LIMITS.link_title);
}

/** Hides the cause of network errors, which would reveal the internal network. */
function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof ResponseTooLarge) return new Refused('too_large', 'page_too_large', { field: 'url' });
  if (error instanceof InvalidResponse) return refuse('not_a_web_page');
  return new Refused('unavailable', 'page_unreachable');
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });
