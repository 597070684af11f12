import { fetchWithTimeout } from '../../lib/data/fetch-timeout.ts';
import { type DeviceNote, deviceNote, saveDeviceNote } from '../offline/alert-notes.ts';

/** Route that stores and deletes push subscriptions of accounts. */
export const PUSH_PATH = '/api/push';

/** Route for the follows of a device without an account. */
export const DEVICE_FOLLOWS_PATH = '/api/device-follows';

/** The device's person and the newsroom's push key. */
export type Owner = { person: string; key: string };

/** Options of a new subscription. Browsers require that every message is shown. */
export const subscriptionOptions = (key: string): PushSubscriptionOptionsInit => ({
  userVisibleOnly: true,
  applicationServerKey: key,
});

/**
 * Stores the push subscription of this device at the newsroom, and its id on the device.
 * @throws Error when the newsroom did not store it
 */
export async function savePushSubscription(
  subscription: PushSubscription,
  { person, key }: Owner,
): Promise<void> {
  const last = await deviceNote();
  const former = last?.person === person ? last.id : undefined;
  const response = await fetchWithTimeout(PUSH_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ person, former, subscription: subscription.toJSON() }),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  const { id } = (await response.json()) as { id: string };
  await saveDeviceNote({ person, key, id, endpoint: subscription.endpoint });
}

/**
 * Reports that the browser has renewed its subscription.
 * @param note the registration of this device
 * @throws Error when the newsroom did not store it
 */
export async function renewSubscription(subscription: PushSubscription, note: DeviceNote): Promise<void> {
  const { person, key, subscription: former } = note;
  if (person !== undefined) return savePushSubscription(subscription, { person, key });
  const response = await fetchWithTimeout(DEVICE_FOLLOWS_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ former, subscription: subscription.toJSON() }),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  await saveDeviceNote({ key, endpoint: subscription.endpoint, subscription: subscription.toJSON() });
}
