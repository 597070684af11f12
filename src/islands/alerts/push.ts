import { fetchWithin } from '../../lib/data/fetch-timeout.ts';
import { findWorker, registerWorker } from '../network/service-worker.ts';
import {
  type DeviceNote,
  deleteDeviceNote,
  deviceNote,
  type Owner,
  PUSH_PATH,
  savePushSubscription,
  subscriptionOptions,
} from './registration.ts';

/**
 * State of alerts on this device. `install`: iPhones show alerts only for sites on the home screen. `other`: it shows
 * another person's alerts; `withoutAccount`: it shows alerts that belong to no account.
 */
export type PushStatus = 'install' | 'unable' | 'denied' | 'open' | 'here' | 'other' | 'withoutAccount';

/** Why this browser can show no alerts; undefined if it can. */
export function unsupportedReason(): 'install' | 'unable' | 'denied' | undefined {
  // Development has no service worker.
  const isSupported =
    !import.meta.env.DEV &&
    'serviceWorker' in navigator &&
    'PushManager' in window &&
    'Notification' in window;
  if (!isSupported) return needsInstall() ? 'install' : 'unable';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** @param known ids of this person's registered devices */
export async function pushStatus({ person, key }: Owner, known: string[]): Promise<PushStatus> {
  const reason = unsupportedReason();
  if (reason) return reason;
  try {
    const subscription = await (await findWorker())?.pushManager.getSubscription();
    const note = await deviceNote();
    if (!note || subscription?.endpoint !== note.endpoint) return 'open';
    if (note.person === undefined) return 'withoutAccount';
    if (note.person !== person) return 'other';
    // A device that was removed elsewhere is not added again automatically.
    return note.key === key && note.id !== undefined && known.includes(note.id) ? 'here' : 'open';
  } catch {
    // Private windows have no service worker.
    return 'unable';
  }
}

/** iPads identify as Macs, which have no touch screen. */
function needsInstall(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** Timeout in milliseconds for installing the service worker and for the push service. */
const SUBSCRIBE_TIMEOUT_MS = 30_000;

/**
 * Registers this device for a person's alerts. The permission must have been granted.
 * @throws Error when there is no service worker, or when the push service or the newsroom cannot be reached
 */
export async function setUpDevice(owner: Owner): Promise<void> {
  await savePushSubscription(await newSubscription(owner.key, await deviceNote()), owner);
}

/**
 * Subscribes this browser to the newsroom's pushes. The permission must have been granted. A browser has only one
 * subscription at a time.
 * @param note the last registration; its subscription is used again if the key is the same
 * @throws Error when there is no service worker, or when the push service cannot be reached
 */
export function newSubscription(key: string, note: DeviceNote | undefined): Promise<PushSubscription> {
  return withTimeout(subscribe(key, note));
}

async function subscribe(key: string, note: DeviceNote | undefined): Promise<PushSubscription> {
  await registerWorker(true);
  // Never settles if the worker cannot be installed.
  const { pushManager } = await navigator.serviceWorker.ready;
  const current = await pushManager.getSubscription();
  if (current && note?.endpoint === current.endpoint && note.key === key) return current;
  await current?.unsubscribe();
  return pushManager.subscribe(subscriptionOptions(key));
}

async function withTimeout<Made>(promise: Promise<Made>): Promise<Made> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('nothing came')), SUBSCRIBE_TIMEOUT_MS);
  return Promise.race([promise, timeout.promise]).finally(() => clearTimeout(timer));
}

/* Loaded on demand only. A module with static and dynamic imports would cost every page a file. */

/**
 * Timeout in milliseconds, so that signing out does not wait longer. The push service reports the removed subscription
 * otherwise.
 */
const DELETE_TIMEOUT_MS = 3_000;

/** Ends the alerts of an account on this device and closes shown ones. Never rejects. */
export async function removeDevice(): Promise<void> {
  const note = await deviceNote().catch(() => undefined);
  if (note && note.person === undefined) return;
  const registration = await findWorker().catch(() => undefined);
  const subscription = await registration?.pushManager.getSubscription().catch(() => null);
  const shown = (await registration?.getNotifications().catch(() => [])) ?? [];
  for (const notification of shown) notification.close();
  await Promise.allSettled([
    subscription?.unsubscribe(),
    note?.id && deleteSubscription(note.id),
    deleteDeviceNote(),
  ]);
}

const deleteSubscription = (id: string) =>
  fetchWithin(DELETE_TIMEOUT_MS)(PUSH_PATH, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  });
