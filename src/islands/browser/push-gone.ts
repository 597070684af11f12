import { PUSH_PATH } from '../../lib/alerts/push.ts';
import { fetchWithin } from '../../lib/http/fetch-in-time.ts';
import { deviceNote, forgetDeviceNote } from '../../lib/offline/alert-notes.ts';
import { findWorker } from './worker.ts';

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
