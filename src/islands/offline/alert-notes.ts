import { ALERTS } from './names.ts';

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
