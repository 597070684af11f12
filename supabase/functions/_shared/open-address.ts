import {
  type HttpResponse,
  InvalidResponse,
  ResponseTooLarge,
  requestPage,
  withTimeLimit,
} from './http-client.ts';
import {
  type ConnectionTarget,
  connect,
  connectionTarget,
  type NetworkAccess,
  privateTarget,
} from './network.ts';
import { Refused } from './refusals.ts';

/** Limits for opening a page. */
export const PAGE_LIMITS = { ms: 5_000, bytes: 1_000_000, redirects: 5 };

/** An address to open, the types to ask it for, and what to read from its response. */
type AddressRequest<Result> = {
  link: string;
  accept: string;
  /** Whether the address and its redirects must be https. */
  isSecure?: boolean;
  /** Origin in a private network that the operator of the server allows. */
  privateOrigin?: string | undefined;
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
  { link, accept, isSecure = false, privateOrigin, read }: AddressRequest<Result>,
  net: NetworkAccess,
  { bytes, redirects }: typeof PAGE_LIMITS,
  signal: AbortSignal,
): Promise<Result> {
  let [address, base]: [string, URL | undefined] = [link, undefined];
  for (let left = redirects; ; left--) {
    const url = URL.parse(address, base);
    const allowed = url ? privateTarget(url, privateOrigin) : undefined;
    const target: ConnectionTarget = allowed ?? connectionTarget(address, base);
    if (isSecure && !target.isSecure) throw refuse('invalid_address');
    const connection = allowed
      ? await net.connect(target.host, target, signal)
      : await connect(target, net, signal);
    signal.addEventListener('abort', () => connection.close());
    const answer = await requestPage(target, connection, bytes, accept);
    const location = isRedirect(answer) && answer.headers.get('location');
    if (!location) return await read(answer);
    connection.close();
    if (left === 0) throw refuse('too_many_redirects');
    [address, base] = [location, target.url];
  }
}

const isRedirect = ({ status }: HttpResponse) => [301, 302, 303, 307, 308].includes(status);

/** @throws Refused `unavailable` if the server has a problem or too many requests */
export function requireAnswer(status: number): void {
  if (status >= 500 || status === 429) throw new Refused('unavailable', 'page_unreachable');
}

/** Hides the cause of network errors, which would reveal the internal network. */
function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof ResponseTooLarge) return new Refused('too_large', 'page_too_large', { field: 'url' });
  if (error instanceof InvalidResponse) return refuse('not_a_web_page');
  return new Refused('unavailable', 'page_unreachable');
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });
