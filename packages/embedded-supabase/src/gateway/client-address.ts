import type { Context } from 'hono';
import { apiKeyTypeOf, isSameKey, type Keys } from '../keys.ts';

/**
 * Request header with the server token, `Keys.serverToken`. The website's server sends it with its own requests and with
 * those that it forwards for visitors.
 */
export const SERVER_TOKEN_HEADER = 'x-server-token';

/** Address of every other client, because the backend listens on the loopback interface only. */
const LOOPBACK = '127.0.0.1';

type HeaderOf = (name: string) => string | undefined;

/** Returns the token of an Authorization header. */
export const bearerToken = (authorization = ''): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];

/** Returns true for a request that contains the server token or the secret key. */
export function isFromServer(header: HeaderOf, keys: Keys): boolean {
  const token = header(SERVER_TOKEN_HEADER);
  if (token !== undefined && isSameKey(token, keys.serverToken)) return true;
  const sentKeys = [header('apikey'), bearerToken(header('authorization'))];
  return sentKeys.some((key) => key !== undefined && apiKeyTypeOf(keys, key) === 'secret');
}

/**
 * Returns the address that a request's rate limits count for: the last one of `x-forwarded-for`. Only the website's
 * server is trusted to send this header. All other programs on this machine count as one visitor.
 * @returns undefined for a request of the website's server itself, which has no limits
 */
export function clientAddress(header: HeaderOf, keys: Keys): string | undefined {
  if (!isFromServer(header, keys)) return LOOPBACK;
  return header('x-forwarded-for')?.split(',').at(-1)?.trim() || undefined;
}

/** Returns the `clientAddress` of a request of the HTTP server. */
export const requestAddress = (c: Context, keys: Keys) => clientAddress((name) => c.req.header(name), keys);
