/**
 * True when a request was made by a page of this site. Browsers say so in Sec-Fetch-Site; older ones send
 * at least an Origin with every POST. Where both are said, both must be ours.
 * @param origin this site's
 */
export function isSameOrigin(request: Request, origin: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  const from = request.headers.get('origin');
  if ((site && site !== 'same-origin') || (from !== null && from !== origin)) return false;
  return Boolean(site ?? from) || request.method === 'GET' || request.method === 'HEAD';
}

/**
 * What counts as one visitor's line, as the backend counts it too: an IPv4 address, or the first 64 bits of an
 * IPv6 one, because every household has all the addresses behind them.
 */
export function network(address: string): string {
  const host = URL.parse(`http://[${address.replace(/%.*$/, '')}]/`)?.hostname;
  if (host === undefined) return address;
  // The one way to write it (WHATWG URL): hexadecimal groups, and the longest run of zeros as two colons.
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
