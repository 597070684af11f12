import type { Session } from '../auth/session.server.ts';
import { deviceOf } from '../people/device.ts';
import { dataOf } from '../supabase/answer.ts';

type Backend = Session['backend'];

/** How a browser is reached, as it says it itself. */
type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** What a device says: how it is reached, and whose it is to be. */
export type TellingDevice = { person: string; subscription: Subscription };

/** What a device says; undefined where it is something else. */
export function readTelling(said: unknown): TellingDevice | undefined {
  if (!isObject(said) || !isObject(said.subscription) || !isObject(said.subscription.keys)) return undefined;
  const { person } = said;
  const { endpoint, keys } = said.subscription;
  const { p256dh, auth } = keys as Record<string, unknown>;
  if (![person, endpoint, p256dh, auth].every((value) => typeof value === 'string')) return undefined;
  return { person, subscription: { endpoint, keys: { p256dh, auth } } } as TellingDevice;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Alerts go to this device from now on. @throws Refused */
export async function savePush(
  backend: Backend,
  subscription: Subscription,
  request: Request,
): Promise<{ id: string }> {
  const { browser, system } = deviceOf(request.headers.get('user-agent') ?? '');
  const device = [browser, system].filter(Boolean).join(', ');
  const call = { op: crypto.randomUUID(), subscription, device };
  return (await dataOf(backend.rpc('save_push', call))) as { id: string };
}
