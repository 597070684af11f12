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
