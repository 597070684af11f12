import { fetchInTime } from '../../lib/data/fetch-timeout.ts';
import { type DeviceNote, deviceNote, saveDeviceNote } from '../offline/alert-notes.ts';

/** Where a device says how it is reached, and that it is not any more. */
export const PUSH_PATH = '/api/push';

/** Whose device it is to be, and the newsroom's key. */
export type Owner = Pick<DeviceNote, 'person' | 'key'>;

/** What a subscription is asked for with: nothing is ever sent that is not shown. */
export const asking = (key: string): PushSubscriptionOptionsInit => ({
  userVisibleOnly: true,
  applicationServerKey: key,
});

/**
 * Tells the newsroom how this device is reached, and notes it here.
 * @throws Error when it was not told
 */
export async function tellDevice(subscription: PushSubscription, { person, key }: Owner): Promise<void> {
  const last = await deviceNote();
  const former = last?.person === person ? last.id : undefined;
  const answer = await fetchInTime(PUSH_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ person, former, subscription: subscription.toJSON() }),
  });
  if (!answer.ok) throw new Error(`${answer.status}`);
  const { id } = (await answer.json()) as { id: string };
  await saveDeviceNote({ person, key, id, endpoint: subscription.endpoint });
}
