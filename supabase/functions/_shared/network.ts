/**
 * Returns the client network of an address for rate limits: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because a household has all addresses in that range.
 */
export function network(address: string): string {
  const host = URL.parse(`http://[${address.replace(/%.*$/, '')}]/`)?.hostname;
  if (host === undefined) return address;
  // The canonical form of the WHATWG URL standard: hexadecimal groups, the longest run of zeros as two colons.
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
