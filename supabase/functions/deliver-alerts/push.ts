import webPush from 'web-push';
import {
  alertContentOf,
  alertMessagesFor,
  type Delivery,
  type DeliveryOutcome,
  onOneLine,
  photoOf,
} from './delivery.ts';

/** Key pair that identifies the newsroom to push services (RFC 8292), base64url. */
export type PushKeys = { publicKey: string; privateKey: string };

/** Milliseconds for which a token is reused. It is valid for 12 hours. */
const TOKEN_REUSE_MS = 6 * 3_600_000;

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
  const tokens = new Map<string, { header: string; at: number }>();
  return (endpoint) => {
    const { origin } = new URL(endpoint);
    const known = tokens.get(origin);
    // Ignores tokens from the future, left by a clock that was set back: services reject tokens that are valid for
    // too long.
    if (known && known.at <= now() && now() - known.at < TOKEN_REUSE_MS) return known.header;
    const { Authorization } = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, 'aes128gcm');
    tokens.set(origin, { header: Authorization, at: now() });
    return Authorization;
  };
}

/** Returns the contact for push services: the URL of the site, or the sender of its mails if the site has no https. */
export function pushContact(site: string, sender: string | undefined): string {
  const { protocol, hostname, origin } = new URL(site);
  if (protocol === 'https:') return origin;
  return `mailto:${sender ?? `newsroom@${hostname}`}`;
}

/** Width of the photo of a notification in pixels: the rendition for phones with sharp screens. */
const PHOTO_WIDTH = 960;

/**
 * Returns the payload of a push message for the service worker, which shows each `alert` once. A notification replaces
 * the last one with the same `tag`. `at` is in milliseconds.
 * With one update, the message shows it and links to it. With several, it shows the newest and the number of others.
 */
function pushMessage(delivery: Delivery, site: string) {
  const { alert, urgent, language, coverage, total } = delivery;
  const { page, updates, newest } = alertContentOf(delivery, site);
  const more = total - 1;
  const photo = photoOf(delivery);
  return {
    alert,
    title: onOneLine(coverage.headline),
    body: more > 0 ? `${newest}\n${alertMessagesFor(language).more(more)}` : newest,
    url: more === 0 ? (updates[0]?.url ?? page) : page,
    ...(photo && { photo: new URL(`/photos/${photo.id}/${PHOTO_WIDTH}`, site).href }),
    tag: coverage.slug,
    urgent,
    lang: language,
    at: Date.parse(updates[0]?.published_at ?? '') || Date.now(),
  };
}

/** Seconds for which push services keep an undelivered message. */
const MESSAGE_TTL_S = 4 * 3600;
/** Timeout in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Sends a push message to one device. Repeating it is harmless: the service keeps one message per topic (RFC 8030,
 * 5.4), and the service worker shows an alert once.
 * @param authorization returns the VAPID header for an endpoint
 */
export async function sendPush(
  delivery: Delivery,
  site: string,
  authorization: (endpoint: string) => string,
): Promise<DeliveryOutcome> {
  const { push: device, urgent, alert } = delivery;
  if (!device) return { outcome: 'refused', error: 'no device' };
  let request: ReturnType<typeof webPush.generateRequestDetails>;
  try {
    const { endpoint, p256dh, auth } = device;
    const subscription = { endpoint, keys: { p256dh, auth } };
    request = webPush.generateRequestDetails(subscription, JSON.stringify(pushMessage(delivery, site)), {
      TTL: MESSAGE_TTL_S,
      urgency: urgent ? 'high' : 'normal',
      topic: topicOf(alert),
      headers: { Authorization: authorization(endpoint) },
    });
  } catch {
    // The device's keys may be invalid. The error message may contain them.
    return { outcome: 'refused', error: 'not encrypted' };
  }
  return outcomeOf(request);
}

/** Converts an alert id to a topic: at most 32 characters of base64url. */
export const topicOf = (alert: string): string => alert.replaceAll('-', '');

type PushRequest = ReturnType<typeof webPush.generateRequestDetails>;

async function outcomeOf({ endpoint, method, headers, body }: PushRequest): Promise<DeliveryOutcome> {
  try {
    const { 'Content-Length': _, ...given } = headers;
    const response = await fetch(endpoint, {
      method,
      headers: Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]),
      body: body && new Uint8Array(body),
      // Redirects are not followed, because their target may not be a push service.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return interpretResponse(response);
  } catch {
    // The error message contains the endpoint.
    return { outcome: 'again', error: 'no answer' };
  }
}

/** Interprets the response of a push service (RFC 8030). */
function interpretResponse({ ok, status, headers }: Response): DeliveryOutcome {
  if (ok) return { outcome: 'sent' };
  const error = `push ${status}`;
  if (status === 404 || status === 410) return { outcome: 'gone', error };
  const isLater = status < 400 || status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isLater) return { outcome: 'refused', error };
  const wait = secondsOf(headers.get('retry-after'));
  return { outcome: 'again', error, ...(wait === undefined ? {} : { retry_after: wait }) };
}

/** Parses Retry-After: seconds or a date (RFC 9110, 10.2.3). */
export function secondsOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000);
  return seconds >= 0 ? seconds : undefined;
}
