import type { Context } from 'hono';
import { isSameKey, type Keys, keyHolder } from '../keys.ts';

/**
 * Request header with the server token: `Keys.server`. The website's own server sends it with every request, its own
 * and those that it passes on for visitors.
 */
export const SERVER_TOKEN = 'x-server-token';

/** The address of every other client: the backend listens on the loopback interface alone. */
const LOOPBACK = '127.0.0.1';

type HeaderOf = (name: string) => string | undefined;

/** The token of an Authorization header. */
export const bearerToken = (authorization = ''): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];

/** True for a request that shows the server token or the secret key. */
export function isFromServer(header: HeaderOf, keys: Keys): boolean {
  const token = header(SERVER_TOKEN);
  if (token !== undefined && isSameKey(token, keys.server)) return true;
  const shown = [header('apikey'), bearerToken(header('authorization'))];
  return shown.some((key) => key !== undefined && keyHolder(keys, key) === 'server');
}

/**
 * The address that the limits of a request count for: the last one of `x-forwarded-for`, which is believed of the
 * website's own server alone. Any other program on this machine counts as one visitor.
 * @returns undefined for a request of the server's own, which has no limits
 */
export function clientAddress(header: HeaderOf, keys: Keys): string | undefined {
  if (!isFromServer(header, keys)) return LOOPBACK;
  return header('x-forwarded-for')?.split(',').at(-1)?.trim() || undefined;
}

/** The same for a request of the HTTP server. */
export const requestAddress = (c: Context, keys: Keys) => clientAddress((name) => c.req.header(name), keys);
