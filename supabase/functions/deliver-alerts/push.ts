import webPush from 'web-push';
import type { Delivery, Outcome } from './delivery.ts';
import { pushMessage } from './push-message.ts';

/** Seconds for which push services keep an undelivered message. */
const KEPT_S = 4 * 3600;
/** Timeout in milliseconds. */
const LONGEST_MS = 10_000;

/**
 * Sends a push message to one device. Repeating it is harmless: the service keeps one message per topic (RFC 8030,
 * 5.4), and the service worker shows an alert once.
 * @param authorization returns the VAPID header for an endpoint
 */
export async function push(
  delivery: Delivery,
  site: string,
  authorization: (endpoint: string) => string,
): Promise<Outcome> {
  const { push: device, urgent, alert } = delivery;
  if (!device) return { outcome: 'refused', error: 'no device' };
  let request: ReturnType<typeof webPush.generateRequestDetails>;
  try {
    const { endpoint, p256dh, auth } = device;
    const subscription = { endpoint, keys: { p256dh, auth } };
    request = webPush.generateRequestDetails(subscription, JSON.stringify(pushMessage(delivery, site)), {
      TTL: KEPT_S,
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

async function outcomeOf({ endpoint, method, headers, body }: PushRequest): Promise<Outcome> {
  try {
    const { 'Content-Length': _, ...given } = headers;
    const answer = await fetch(endpoint, {
      method,
      headers: Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]),
      body: body && new Uint8Array(body),
      // Redirects are not followed, because their target may not be a push service.
      redirect: 'manual',
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    await answer.body?.cancel();
    return judge(answer);
  } catch {
    // The error message contains the endpoint.
    return { outcome: 'again', error: 'no answer' };
  }
}

/** Interprets the response of a push service (RFC 8030). */
function judge({ ok, status, headers }: Response): Outcome {
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
