import webPush from 'web-push';

/** Key pair that identifies the newsroom to push services (RFC 8292), base64url. */
export type PushKeys = { publicKey: string; privateKey: string };

/** Milliseconds for which a token is reused. It is valid for 12 hours. */
const KEPT_MS = 6 * 3_600_000;

/**
 * Returns a function that creates the VAPID header of an endpoint. Tokens are cached by push service, because signing
 * takes as long as encrypting a message.
 * @param subject contact for push services: an https or mailto URL
 */
export function openVapid(
  { publicKey, privateKey }: PushKeys,
  subject: string,
  now = () => Date.now(),
): (endpoint: string) => string {
  const kept = new Map<string, { header: string; at: number }>();
  return (endpoint) => {
    const { origin } = new URL(endpoint);
    const known = kept.get(origin);
    // Ignores tokens from the future, left by a clock that was set back: services reject tokens that are valid for
    // too long.
    if (known && known.at <= now() && now() - known.at < KEPT_MS) return known.header;
    const { Authorization } = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, 'aes128gcm');
    kept.set(origin, { header: Authorization, at: now() });
    return Authorization;
  };
}

/** Returns the contact for push services: the URL of the site, or the sender of its mails if the site has no https. */
export function subjectOf(site: string, sender: string | undefined): string {
  const { protocol, hostname, origin } = new URL(site);
  if (protocol === 'https:') return origin;
  return `mailto:${sender ?? `newsroom@${hostname}`}`;
}
