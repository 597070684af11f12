import { isSecureSite } from '../site/address.ts';

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
