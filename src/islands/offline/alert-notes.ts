import { ALERTS } from './names.ts';

/* What a device notes of alerts. A worker is stopped at any time, and pages have no other place that it can read. */

const SHOWN = '/alerts/shown';
const DEVICE = '/alerts/device';

/** So many are known again. */
const MOST_SHOWN = 50;

/** For whom this device shows alerts. */
export type DeviceNote = {
  person: string;
  /** Of the subscription, as the newsroom keeps it. */
  id: string;
  endpoint: string;
  /** The key of the newsroom's that it was made with. */
  key: string;
};

async function noted(path: string): Promise<unknown> {
  const note = await (await caches.open(ALERTS)).match(path);
  return note?.json();
}

async function note(path: string, what: unknown): Promise<void> {
  await (await caches.open(ALERTS)).put(path, new Response(JSON.stringify(what)));
}

/** The ids of alerts that were shown here, the newest last. */
export const shownAlerts = async (): Promise<string[]> =>
  ((await noted(SHOWN)) as string[] | undefined) ?? [];

export async function noteShown(id: string): Promise<void> {
  const others = (await shownAlerts()).filter((one) => one !== id);
  await note(SHOWN, [...others, id].slice(-MOST_SHOWN));
}

export const deviceNote = async (): Promise<DeviceNote | undefined> =>
  (await noted(DEVICE)) as DeviceNote | undefined;

export const noteDevice = (device: DeviceNote): Promise<void> => note(DEVICE, device);

export async function forgetDeviceNote(): Promise<void> {
  await (await caches.open(ALERTS)).delete(DEVICE);
}
