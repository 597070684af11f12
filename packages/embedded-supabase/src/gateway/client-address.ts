import { isSameKey, type Keys, keyHolder } from '../keys.ts';

/**
 * Request header with the server token: `Keys.server`. The website's own server sends it with every request, its own
 * and those that it passes on for visitors.
 */
export const SERVER_TOKEN = 'x-server-token';

/** The address of every other client: the backend listens on the loopback interface alone. */
const LOOPBACK = '127.0.0.1';

type HeaderOf = (name: string) => string | undefined;

/** True for a request that shows the server token or the secret key. */
export function isFromServer(header: HeaderOf, keys: Keys): boolean {
  const token = header(SERVER_TOKEN);
  if (token !== undefined && isSameKey(token, keys.server)) return true;
  const bearer = /^Bearer\s+(\S+)$/i.exec(header('authorization') ?? '')?.[1];
  return [header('apikey'), bearer].some((key) => key !== undefined && keyHolder(keys, key) === 'server');
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
