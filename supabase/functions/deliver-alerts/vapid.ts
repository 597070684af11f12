import webPush from 'web-push';

/** The key pair by which push services know this newsroom (RFC 8292), base64url. */
export type PushKeys = { publicKey: string; privateKey: string };

/** A token is good for 12 hours, and made anew after half of it. In milliseconds. */
const KEPT_MS = 6 * 3_600_000;

/**
 * What a push service is shown of who sends. To sign costs as much as to encrypt a message, and services are few: a
 * token is made once for each.
 * @param subject whom a service may write to: an https address or a mailto
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
    // Of a clock that was ahead and has come back: it is good for longer than a service takes.
    if (known && known.at <= now() && now() - known.at < KEPT_MS) return known.header;
    const { Authorization } = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, 'aes128gcm');
    kept.set(origin, { header: Authorization, at: now() });
    return Authorization;
  };
}

/** Services want to know whom to ask: the site's own address, or the sender of its mails where that is not secure. */
export function subjectOf(site: string, sender: string | undefined): string {
  const { protocol, hostname, origin } = new URL(site);
  if (protocol === 'https:') return origin;
  return `mailto:${sender ?? `newsroom@${hostname}`}`;
}
