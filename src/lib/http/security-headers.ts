import { backendSettings } from '../data/backend-settings.ts';
import { isSecureSite } from '../data/site-address.ts';

/**
 * The policy of what is no page: it loads and runs nothing, and stands in no frame. A feed or a photo that somebody opens
 * by itself is shown by the browser's own page around it, whose styles stand in it: without them it would be shown all
 * the same, and the policy be told as broken.
 */
export const NOTHING =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/** Nothing here uses any of these, so nothing that slips in may either. */
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

/** What whoever came by https is held to for a year; nothing where visitors come by http. */
export const onlyByHttps = (): Record<string, string> =>
  isSecureSite() ? { 'strict-transport-security': 'max-age=31536000' } : {};

/** The headers that every answer carries whose bytes are not counted one by one. */
export const fixedHeaders = (): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': PERMISSIONS,
  ...onlyByHttps(),
});

/** The same for what no page of ours has answered, and nobody keeps: a refusal, a redirect, what the backend says. */
export const bareHeaders = (): Record<string, string> => ({
  ...fixedHeaders(),
  'cache-control': 'no-store',
  'content-security-policy': NOTHING,
  // As browsers do by themselves: said for those that do not.
  'referrer-policy': 'strict-origin-when-cross-origin',
});

/**
 * The headers that every answer carries, but those that say what browsers do by themselves (their referrer policy) or
 * what the policy says too (`frame-ancestors`): they come before the words. What may run and load is Astro's Content-Security-Policy; an answer
 * without one (no page of ours) may load nothing at all. A 304 has none: browsers would put it in the place of the
 * policy of the page that they hold. Astro gives no policy in development, where Vite serves styles as scripts.
 */
export function addSecurityHeaders({ headers, status }: Response): void {
  for (const [name, value] of Object.entries(fixedHeaders())) headers.set(name, value);
  if (!headers.has('Content-Security-Policy') && status !== 304 && !import.meta.env.DEV) {
    headers.set('Content-Security-Policy', NOTHING);
  }
}

/**
 * The few that an answer of `changes` carries: scripts read it, for whom the others mean nothing. Opened as a page, or
 * put into a frame, it may run and send nothing; taken for a script it is none.
 */
export function addAnswerHeaders(headers: Headers): void {
  headers.set('Content-Security-Policy', 'sandbox');
  headers.set('X-Content-Type-Options', 'nosniff');
  for (const [name, value] of Object.entries(onlyByHttps())) headers.set(name, value);
}

/** Lets the islands of a page call the backend, and listen to it, where that is not on the site's own port. */
export function allowBackend(headers: Headers): void {
  const policy = headers.get('Content-Security-Policy');
  const { publicUrl } = backendSettings();
  if (!policy || publicUrl === '/') return;
  const { origin } = new URL(publicUrl);
  // A policy that names https: does not mean wss: with it.
  const connect = `connect-src 'self' ${origin} ${origin.replace('http', 'ws')}`;
  headers.set('Content-Security-Policy', `${policy.replace(/;\s*$/, '')}; ${connect};`);
}

/**
 * Lets these sites show this page in a frame, and no others: `*` is any. So may pages that have cut themselves off from
 * what does not agree to it (COEP): all that this one loads is its own.
 */
export function allowFrames(headers: Headers, sites: string[]): void {
  const policy = headers.get('Content-Security-Policy') ?? '';
  const ancestors = `frame-ancestors ${sites.join(' ') || "'none'"}`;
  headers.set('Content-Security-Policy', policy.replace("frame-ancestors 'none'", ancestors));
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
}
