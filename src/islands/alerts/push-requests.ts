import { fetchWithTimeout } from '../../lib/data/fetch-timeout.ts';
import { type DeviceNote, deviceNote, saveDeviceNote } from '../offline/alert-notes.ts';

/** Route that stores and deletes push subscriptions. */
export const PUSH_PATH = '/api/push';

/** The device's person and the newsroom's push key. */
export type Owner = Pick<DeviceNote, 'person' | 'key'>;

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
