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
  const host = URL.parse(`http://[${address.replace(/%.*$/, '')}]/`)?.hostname;
  if (host === undefined) return address;
  // The canonical form of the WHATWG URL standard: hexadecimal groups, and `::` for the longest run of zeros.
  const [front = [], back = []] = host.slice(1, -1).split('::').map(groupsOf);
  const v4 = front.length === 0 && back.length === 3 && back[0] === 'ffff' ? back.slice(1) : [];
  if (v4.length > 0) return v4.flatMap(bytesOf).join('.');
  const between = host.includes('::') ? Array<string>(8 - front.length - back.length).fill('0') : [];
  return [...front, ...between, ...back].slice(0, 4).join(':');
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));

function bytesOf(group: string): number[] {
  const bits = Number.parseInt(group, 16);
  return [bits >> 8, bits & 255];
}

/** Whether an `If-None-Match` header names this entity tag. Compares weakly (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => bare(tag) === bare(etag));
}
