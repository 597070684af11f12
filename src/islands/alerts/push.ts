import { fetchWithin } from '../../lib/data/fetch-timeout.ts';
import { findWorker, registerWorker } from '../network/service-worker.ts';
import { deviceNote, forgetDeviceNote } from '../offline/alert-notes.ts';
import { asking, type Owner, PUSH_PATH, tellDevice } from './push-requests.ts';

/**
 * How this device stands to alerts. `install`: an iPhone shows them only for a site on its home screen. `other`: it shows
 * somebody else's.
 */
export type Standing = 'install' | 'unable' | 'denied' | 'open' | 'here' | 'other';

/** @param known ids of the devices that the newsroom has of this person */
export async function deviceStanding({ person, key }: Owner, known: string[]): Promise<Standing> {
  // In development there is no worker.
  const can =
    !import.meta.env.DEV &&
    'serviceWorker' in navigator &&
    'PushManager' in window &&
    'Notification' in window;
  if (!can) return needsInstalling() ? 'install' : 'unable';
  if (Notification.permission === 'denied') return 'denied';
  try {
    const subscription = await (await findWorker())?.pushManager.getSubscription();
    const note = await deviceNote();
    if (!note || subscription?.endpoint !== note.endpoint) return 'open';
    if (note.person !== person) return 'other';
    // What they have taken out on another device does not come back by itself.
    return note.key === key && known.includes(note.id) ? 'here' : 'open';
  } catch {
    // A private window keeps no worker.
    return 'unable';
  }
}

/** iPads call themselves Macs, which have no touch screen. */
function needsInstalling(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** How long a browser may take to reach its push service, in milliseconds. */
const SUBSCRIBING_MS = 30_000;

/**
 * Has alerts of this person come to this device. It must have been allowed.
 * @throws Error where the browser does not reach its push service, or the newsroom is not reached
 */
export async function setUpDevice(owner: Owner): Promise<void> {
  await registerWorker(true);
  const { pushManager } = await navigator.serviceWorker.ready;
  await tellDevice(await inTime(subscriptionWith(pushManager, owner.key)), owner);
}

/** The one that is there, if it was made with this key; a browser has one at a time. */
async function subscriptionWith(pushManager: PushManager, key: string): Promise<PushSubscription> {
  const there = await pushManager.getSubscription();
  const note = await deviceNote();
  if (there && note?.endpoint === there.endpoint && note.key === key) return there;
  await there?.unsubscribe();
  return pushManager.subscribe(asking(key));
}

async function inTime<Made>(made: Promise<Made>): Promise<Made> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('nothing came')), SUBSCRIBING_MS);
  return Promise.race([made, late.promise]).finally(() => clearTimeout(timer));
}

/* Loaded when it is wanted, and by no other way: what is loaded by both costs every page a file. */

/** Whoever signs out does not wait for longer, in milliseconds: what the newsroom was not told, the push service tells it. */
const LEAVING_MS = 3_000;

/** No more alerts come to this device, and those that it shows go. Nothing of it can fail. */
export async function forgetDevice(): Promise<void> {
  const note = await deviceNote().catch(() => undefined);
  const registration = await findWorker().catch(() => undefined);
  const subscription = await registration?.pushManager.getSubscription().catch(() => null);
  const shown = (await registration?.getNotifications().catch(() => [])) ?? [];
  for (const notification of shown) notification.close();
  await Promise.allSettled([subscription?.unsubscribe(), note && tellGone(note.id), forgetDeviceNote()]);
}

const tellGone = (id: string) =>
  fetchWithin(LEAVING_MS)(PUSH_PATH, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  });
