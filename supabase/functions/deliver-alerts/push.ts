import webPush from 'web-push';
import type { Delivery, Outcome } from './delivery.ts';
import { pushMessage } from './push-message.ts';

/** For who is out of reach so long, it is no news any more. In seconds. */
const KEPT_S = 4 * 3600;
/** Services answer in a fraction of it. */
const LONGEST_MS = 10_000;

/**
 * Tells one device. The service keeps one message of a topic (RFC 8030, 5.4) and the service worker shows an alert once,
 * so that whoever is told again after a broken-off try is told nothing new.
 * @param authorization of this newsroom, for the service of an endpoint
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
    // Keys of a device's own making that are no point of the curve, say. What is thrown may quote them.
    return { outcome: 'refused', error: 'not encrypted' };
  }
  return outcomeOf(request);
}

/** An alert's id as a topic: 32 characters of base64url at most. */
export const topicOf = (alert: string): string => alert.replaceAll('-', '');

type PushRequest = ReturnType<typeof webPush.generateRequestDetails>;

async function outcomeOf({ endpoint, method, headers, body }: PushRequest): Promise<Outcome> {
  try {
    const { 'Content-Length': _, ...given } = headers;
    const answer = await fetch(endpoint, {
      method,
      headers: Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]),
      body: body && new Uint8Array(body),
      // Where a service sends us on, nobody has said that it is one.
      redirect: 'manual',
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    await answer.body?.cancel();
    return judge(answer);
  } catch {
    // What is thrown names the endpoint.
    return { outcome: 'again', error: 'no answer' };
  }
}

/** RFC 8030, and what services make of it. */
function judge({ ok, status, headers }: Response): Outcome {
  if (ok) return { outcome: 'sent' };
  const error = `push ${status}`;
  if (status === 404 || status === 410) return { outcome: 'gone', error };
  const isLater = status < 400 || status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isLater) return { outcome: 'refused', error };
  const wait = secondsOf(headers.get('retry-after'));
  return { outcome: 'again', error, ...(wait === undefined ? {} : { retry_after: wait }) };
}

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). */
export function secondsOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000);
  return seconds >= 0 ? seconds : undefined;
}
