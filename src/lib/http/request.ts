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

/** The range of an IP address, such as `loopback` or `private`; undefined for any other text. */
export function addressRange(address = ''): string | undefined {
  const withoutZone = address.replace(/%.*$/, '');
  return isIP(withoutZone) === 0 ? undefined : ipaddr.process(withoutZone).range();
}

/** Whether an `If-None-Match` header names this entity tag. Compares weakly (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => bare(tag) === bare(etag));
}
