/**
 * True when a request was made by a page of this site. Browsers say so in Sec-Fetch-Site; older ones send
 * at least an Origin with every POST.
 * @param origin this site's
 */
export function isSameOrigin(request: Request, origin: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site) return site === 'same-origin';
  const from = request.headers.get('origin');
  return from ? from === origin : request.method === 'GET';
}
