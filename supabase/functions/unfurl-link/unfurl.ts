import {
  type HttpResponse,
  InvalidResponse,
  ResponseTooLarge,
  requestPage,
  withTimeLimit,
} from '../_shared/http-client.ts';
import { LIMITS } from '../_shared/limits.ts';
import { connect, connectionTarget, type NetworkAccess } from '../_shared/network.ts';
import { Refused } from '../_shared/refusals.ts';
import { cleanLine, type PageMetadata, readPageMetadata } from './head.ts';

/** Limits for opening a page. */
export const PAGE_LIMITS = { ms: 5_000, bytes: 1_000_000, redirects: 5 };

type LinkMetadata = PageMetadata & { title: string };

/**
 * Returns the metadata of the page at a URL.
 * @throws Refused `invalid`, `too_large`, `unavailable`
 */
export async function unfurl(link: string, net: NetworkAccess, limits = PAGE_LIMITS): Promise<LinkMetadata> {
  const read = (response: HttpResponse) => readPage(response, limits.bytes);
  const { title, ...more } = await openAddress(
    { link, accept: 'text/html,application/xhtml+xml', read },
    net,
    limits,
  );
  return { title: title ?? titleFromUrl(link), ...more };
}

/** An address to open, the types to ask it for, and what to read from its response. */
type AddressRequest<Result> = {
  link: string;
  accept: string;
  /** Whether the address and its redirects must be https. */
  isSecure?: boolean;
  read(response: HttpResponse): Promise<Result>;
};

/**
 * Opens a public address, follows its redirects, and reads the response.
 * @throws Refused `invalid`, `too_large`, `unavailable`, or what `read` throws
 */
export async function openAddress<Result>(
  request: AddressRequest<Result>,
  net: NetworkAccess,
  limits: typeof PAGE_LIMITS,
): Promise<Result> {
  try {
    return await withTimeLimit(limits.ms, (signal) => followRedirects(request, net, limits, signal));
  } catch (error) {
    throw asRefused(error);
  }
}

async function followRedirects<Result>(
  { link, accept, isSecure = false, read }: AddressRequest<Result>,
  net: NetworkAccess,
  { bytes, redirects }: typeof PAGE_LIMITS,
  signal: AbortSignal,
): Promise<Result> {
  let target = connectionTarget(link);
  for (let left = redirects; ; left--) {
    if (isSecure && !target.isSecure) throw refuse('invalid_address');
    const connection = await connect(target, net, signal);
    signal.addEventListener('abort', () => connection.close());
    const answer = await requestPage(target, connection, bytes, accept);
    const location = isRedirect(answer) && answer.headers.get('location');
    if (!location) return await read(answer);
    connection.close();
    if (left === 0) throw refuse('too_many_redirects');
    target = connectionTarget(location, target.url);
  }
}

const isRedirect = ({ status }: HttpResponse) => [301, 302, 303, 307, 308].includes(status);

async function readPage({ status, headers, body }: HttpResponse, bytes: number): Promise<PageMetadata> {
  requireAnswer(status);
  if (status !== 200) throw refuse('page_not_found');
  const type = headers.get('content-type') ?? '';
  if (!/^(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)) throw refuse('not_a_web_page');
  return readPageMetadata(body, type, bytes);
}

/** @throws Refused `unavailable` if the server has a problem or too many requests */
export function requireAnswer(status: number): void {
  if (status >= 500 || status === 429) throw new Refused('unavailable', 'page_unreachable');
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
