import { backendSettings, isSecureSite } from '../data/environment.ts';

/**
 * Content-Security-Policy of responses that are not pages: nothing loads or runs, and no frame may show them. Inline
 * styles are allowed because browsers use them to display a feed or a photo, and would report violations otherwise.
 */
const EMPTY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/** The site uses none of these features, so injected code may not use them either. */
const PERMISSIONS = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join();

/** Strict-Transport-Security for a year, if the site uses https. */
export const httpsHeaders = (): Record<string, string> =>
  isSecureSite() ? { 'strict-transport-security': 'max-age=31536000' } : {};

/** Security headers of every response, except short ones where each byte counts. */
const fixedHeaders = (): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': PERMISSIONS,
  ...httpsHeaders(),
});

/** Default headers of refusals, redirects and proxied responses, which are not cached. */
export const defaultHeaders = (): Record<string, string> => ({
  ...fixedHeaders(),
  'cache-control': 'no-store',
  'content-security-policy': EMPTY_POLICY,
  // The default of current browsers, set for older ones.
  'referrer-policy': 'strict-origin-when-cross-origin',
});

/**
 * Adds the security headers to a page. It omits browser defaults (Referrer-Policy) and what the policy covers
 * (`frame-ancestors`), because headers precede the content on a slow connection. A response without Astro's policy gets
 * one that allows nothing, except 304, with which browsers would replace the policy of their stored page. In
 * development there is no policy, because Vite serves styles as scripts.
 */
export function addSecurityHeaders({ headers, status }: Response): void {
  for (const [name, value] of Object.entries(fixedHeaders())) headers.set(name, value);
  if (!headers.has('Content-Security-Policy') && status !== 304 && !import.meta.env.DEV) {
    headers.set('Content-Security-Policy', EMPTY_POLICY);
  }
}

/**
 * The short security headers of a changes response, which scripts read. Opened as a page it may run and send nothing,
 * and it cannot be loaded as a script.
 */
export function addChangesHeaders(headers: Headers): void {
  headers.set('Content-Security-Policy', 'sandbox');
  headers.set('X-Content-Type-Options', 'nosniff');
  for (const [name, value] of Object.entries(httpsHeaders())) headers.set(name, value);
}

/**
 * Lets scripts of every site, and of frames without an origin, read a response that is the same for all readers. Browsers
 * refuse it to requests with cookies.
 * @param options.exposesHeaders whether scripts may read its headers too, such as `Retry-After`
 */
export function allowAnyOrigin(headers: Headers, { exposesHeaders }: { exposesHeaders: boolean }): void {
  headers.set('Access-Control-Allow-Origin', '*');
  if (exposesHeaders) headers.set('Access-Control-Expose-Headers', '*');
}

/** Lets the islands of a page connect to the backend, if that has its own origin. */
export function allowBackend(headers: Headers): void {
  const policy = headers.get('Content-Security-Policy');
  const { publicUrl } = backendSettings();
  if (!policy || publicUrl === '/') return;
  const { origin } = new URL(publicUrl);
  // `https:` in a policy does not include `wss:`.
  addDirective(headers, policy, `connect-src 'self' ${origin} ${origin.replace('http', 'ws')}`);
}

/** Lets the page show players of these origins in frames. */
export function allowPlayers(headers: Headers, origins: string[]): void {
  const policy = headers.get('Content-Security-Policy');
  if (policy && origins.length > 0) addDirective(headers, policy, `frame-src ${origins.join(' ')}`);
}

/** Lets the page read videos and recordings that a person has chosen on the device. */
export function allowChosenMedia(headers: Headers): void {
  const policy = headers.get('Content-Security-Policy');
  if (policy) addDirective(headers, policy, "media-src 'self' blob:");
}

const addDirective = (headers: Headers, policy: string, directive: string) =>
  headers.set('Content-Security-Policy', `${policy.replace(/;\s*$/, '')}; ${directive};`);

/**
 * Lets pages with cross-origin isolation (COEP) show a public picture or media file: those of other sites, and embeds,
 * which are other sites too in a frame without an origin.
 */
export const ANY_EMBEDDER = { 'Cross-Origin-Resource-Policy': 'cross-origin' } as const;

/**
 * Lets only these sites show the page in a frame; `*` is any. The page also works in frames of sites with cross-origin
 * isolation (COEP), because it loads only its own resources.
 */
export function allowFrames(headers: Headers, sites: string[]): void {
  const policy = headers.get('Content-Security-Policy') ?? '';
  const ancestors = `frame-ancestors ${sites.join(' ') || "'none'"}`;
  headers.set('Content-Security-Policy', policy.replace("frame-ancestors 'none'", ancestors));
  for (const [name, value] of Object.entries(ANY_EMBEDDER)) headers.set(name, value);
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
}
