/** A Web Push subscription, as a browser's `PushSubscription.toJSON()` returns it. */
export type PushSubscriptionContent = { endpoint: string; keys: { p256dh: string; auth: string } };

/** Reads a subscription; undefined when it is malformed. The database checks the values. */
export function parseSubscription(value: unknown): PushSubscriptionContent | undefined {
  if (!isObject(value) || !isObject(value.keys)) return undefined;
  const { endpoint } = value;
  const { p256dh, auth } = value.keys;
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string')
    return undefined;
  return { endpoint, keys: { p256dh, auth } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
