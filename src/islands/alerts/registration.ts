import { fetchWithTimeout } from '../../lib/data/fetch-timeout.ts';
import { ALERTS } from '../offline/names.ts';

/* Data about alerts on this device, in a cache, because it is the only storage that pages and a stopped worker share easily. */

const SHOWN = '/alerts/shown';
const DEVICE = '/alerts/device';

/** Number of remembered alerts. */
const MAX_SHOWN = 50;

/** The registration of this device for alerts. */
export type DeviceNote = {
  /** The person whose alerts it shows, and the id of the stored push subscription. Absent without an account. */
  person?: string;
  id?: string;
  /** Without an account: the subscription, which proves to the newsroom that it is this device. */
  subscription?: PushSubscriptionJSON;
  endpoint: string;
  /** The newsroom's key that the subscription uses. */
  key: string;
};

async function readNote(path: string): Promise<unknown> {
  const response = await (await caches.open(ALERTS)).match(path);
  return response?.json();
}

async function writeNote(path: string, content: unknown): Promise<void> {
  await (await caches.open(ALERTS)).put(path, new Response(JSON.stringify(content)));
}

/** Ids of shown alerts, newest last. */
export const shownAlerts = async (): Promise<string[]> =>
  ((await readNote(SHOWN)) as string[] | undefined) ?? [];

export async function saveShownAlert(id: string): Promise<void> {
  const others = (await shownAlerts()).filter((other) => other !== id);
  await writeNote(SHOWN, [...others, id].slice(-MAX_SHOWN));
}

export const deviceNote = async (): Promise<DeviceNote | undefined> =>
  (await readNote(DEVICE)) as DeviceNote | undefined;

export const saveDeviceNote = (device: DeviceNote): Promise<void> => writeNote(DEVICE, device);

export async function deleteDeviceNote(): Promise<void> {
  await (await caches.open(ALERTS)).delete(DEVICE);
}

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
