import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether a page of this site sent the request. Browsers send Sec-Fetch-Site; older ones send at least Origin with
 * every POST. If both are present, both must match.
 * @param origin of this site
 */
export function isSameOrigin(request: Request, origin: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  const from = request.headers.get('origin');
  if ((site && site !== 'same-origin') || (from !== null && from !== origin)) return false;
  return Boolean(site ?? from) || request.method === 'GET' || request.method === 'HEAD';
}

/**
 * The client network of an address, as in the backend's limits: an IPv4 address, or the first 64 bits of an IPv6
 * address, because every household has a whole /64.
 */
export function clientNetwork(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed) return address;
  if (!('parts' in parsed)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** The range of an IP address, such as `loopback` or `private`; undefined for any other text. */
export const addressRange = (address = ''): string | undefined => parseAddress(address)?.range();

/** Parses an address without its zone. An IPv4 address that is mapped to IPv6 becomes IPv4. */
function parseAddress(address: string) {
  const plain = address.replace(/%.*$/, '');
  return isIP(plain) === 0 ? undefined : ipaddr.process(plain);
}

/** Whether an `If-None-Match` header names this entity tag. Compares weakly (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => bare(tag) === bare(etag));
}
