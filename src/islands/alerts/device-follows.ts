import { fetchWithTimeout } from '../../lib/data/fetch-timeout.ts';
import {
  type FollowScope,
  type FollowTarget,
  type FollowWithoutAccount,
  followPath,
} from '../../lib/domain/follows.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import { findWorker } from '../network/service-worker.ts';
import { newSubscription, unsupportedReason } from './push.ts';
import { DEVICE_FOLLOWS_PATH, deleteDeviceNote, deviceNote, saveDeviceNote } from './registration.ts';

/** Follows of this device without an account. The push subscription is the proof that it is this device. */

async function request(method: 'POST' | 'PUT' | 'DELETE', body: object): Promise<FollowWithoutAccount[]> {
  const response = await fetchWithTimeout(DEVICE_FOLLOWS_PATH, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  return ((await response.json()) as { follows: FollowWithoutAccount[] }).follows;
}

/** The subscription of this device, unless it belongs to an account. */
async function ownSubscription(): Promise<PushSubscription | null> {
  const subscription = await (await findWorker())?.pushManager.getSubscription();
  const note = await deviceNote();
  return subscription && note?.endpoint === subscription.endpoint && note.person === undefined
    ? subscription
    : null;
}

/**
 * Returns the follows of this device, or `account` if it shows the alerts of an account.
 * @throws Error when the newsroom cannot be reached
 */
export async function listDeviceFollows(): Promise<FollowWithoutAccount[] | 'account'> {
  try {
    if ((await deviceNote())?.person !== undefined) return 'account';
  } catch {
    // Private windows have no cache.
    return [];
  }
  const subscription = await ownSubscription().catch(() => null);
  return subscription ? request('POST', { subscription }) : [];
}

/** Returns the follows of this device, or why it can show no alerts. */
export async function readDeviceState(
  key: string,
): Promise<FollowWithoutAccount[] | 'install' | 'unable' | 'denied'> {
  const reason = unsupportedReason();
  if (reason) return reason;
  try {
    const subscription = await ownSubscription();
    if (!subscription || (await deviceNote())?.key !== key) return [];
    // Without a connection the page shows what it can: the button.
    return await request('POST', { subscription }).catch(() => []);
  } catch {
    // Private windows have no service worker.
    return 'unable';
  }
}

/**
 * Registers this device without an account and follows. The permission must have been granted.
 * @returns the follows of this device
 * @throws Error when the push service or the newsroom cannot be reached
 */
export async function followOnDevice(
  key: string,
  target: FollowTarget,
  scope: FollowScope,
): Promise<FollowWithoutAccount[]> {
  const note = await deviceNote();
  const subscription = await newSubscription(key, note?.person === undefined ? note : undefined);
  const follows = await request('PUT', { subscription, ...target, scope });
  await saveDeviceNote({ key, endpoint: subscription.endpoint, subscription: subscription.toJSON() });
  return follows;
}

/**
 * Ends one follow of this device, or all of them. Without a follow, the device is no longer registered.
 * @returns the remaining follows
 */
export async function endDeviceFollows(target?: FollowTarget): Promise<FollowWithoutAccount[]> {
  const subscription = await ownSubscription();
  if (!subscription) return [];
  const follows = await request('DELETE', { subscription, ...target });
  if (follows.length === 0) await Promise.allSettled([subscription.unsubscribe(), deleteDeviceNote()]);
  return follows;
}

/** A list entry with a link to the alerts of a followed coverage or topic. */
export function followEntry(follow: FollowWithoutAccount): HTMLLIElement {
  const link = document.createElement('a');
  link.href = followPath(follow);
  link.dir = 'auto';
  link.textContent = follow.name;
  const entry = document.createElement('li');
  entry.append(link);
  return entry;
}

/** Sets up the list of this device's alerts, with a button that stops all of them. */
export function setUpDeviceList(): void {
  const root = document.getElementById('device-list');
  const status = document.getElementById('device-says');
  const details = root?.querySelector('details');
  if (!root || !status || !details) return;
  const messages = JSON.parse(root.dataset.says ?? '{}') as Messages['follow']['choices']['device'];

  const say = (sentence: string) => {
    status.textContent = sentence;
    status.hidden = false;
  };
  function show(follows: FollowWithoutAccount[], none: string): void {
    details?.querySelector('ul')?.replaceChildren(...follows.map(followEntry));
    details?.querySelector('span')?.replaceChildren(`(${follows.length})`);
    if (details) details.hidden = follows.length === 0;
    if (follows.length === 0) say(none);
    else if (status) status.hidden = true;
  }

  details.querySelector('button')?.addEventListener('click', async () => {
    try {
      show(await endDeviceFollows(), messages.stopped);
    } catch {
      say(messages.failed);
    }
    status.focus();
  });
  listDeviceFollows().then(
    (follows) => (follows === 'account' ? say(messages.account) : show(follows, messages.none)),
    () => say(messages.failed),
  );
}
