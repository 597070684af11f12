import { type ConnectionTarget, isAddress, isPublicAddress, type TcpConnection } from './http-client.ts';
import { Refused } from './refusals.ts';

/** Network access, replaceable in tests. */
export type NetworkAccess = {
  /** Returns all IPv4 and IPv6 addresses of a name. Throws if there are none. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to exactly this address; uses TLS for the target's host if it is secure. */
  connect(address: string, target: ConnectionTarget, signal: AbortSignal): Promise<TcpConnection>;
};

/**
 * Resolves the name once, requires all its addresses to be allowed, and connects to one of them.
 * @param isAllowed decides about an address; by default public ones are allowed
 * @throws Refused, or any connection error
 */
export async function connect(
  target: ConnectionTarget,
  net: NetworkAccess,
  signal: AbortSignal,
  isAllowed = isPublicAddress,
): Promise<TcpConnection> {
  const { host } = target;
  const addresses = isAddress(host) ? [host] : await net.resolve(host, signal);
  if (addresses.length === 0) throw new Refused('unavailable', 'page_unreachable');
  if (!addresses.every(isAllowed)) throw new Refused('invalid', 'address_not_public', { field: 'url' });
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
