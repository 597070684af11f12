import { dropAlertDevice, readMyAlertDevices } from '../data/follows.ts';
import { deviceOf } from '../data/people.ts';
import { dataOf } from '../data/result.ts';
import type { Session } from '../data/session.server.ts';
import { isUuid } from '../domain/paths.ts';

type Backend = Session['backend'];

/** How a browser is reached, as it says it itself. */
type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** What a device says: how it is reached, whose it is to be, and the id that it had until now. */
export type TellingDevice = { person: string; subscription: Subscription; former?: string | undefined };

/** What a device says; undefined where it is something else. */
export function readTelling(said: unknown): TellingDevice | undefined {
  if (!isObject(said) || !isObject(said.subscription) || !isObject(said.subscription.keys)) return undefined;
  const { person, former } = said;
  const { endpoint, keys } = said.subscription;
  const { p256dh, auth } = keys as Record<string, unknown>;
  if (![person, endpoint, p256dh, auth].every((value) => typeof value === 'string')) return undefined;
  const subscription = { endpoint, keys: { p256dh, auth } };
  return {
    person,
    subscription,
    former: typeof former === 'string' && isUuid(former) ? former : undefined,
  } as TellingDevice;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Alerts go to this device from now on, and no more as they did before. @throws Refused */
export async function savePush(
  backend: Backend,
  { subscription, former }: TellingDevice,
  request: Request,
): Promise<{ id: string }> {
  const { browser, system } = deviceOf(request.headers.get('user-agent') ?? '');
  const device = [browser, system].filter(Boolean).join(', ');
  const call = { op: crypto.randomUUID(), subscription, device };
  const saved = (await dataOf(backend.rpc('save_push', call))) as { id: string };
  if (former && former !== saved.id) await dropAlertDevice(backend, former);
  return saved;
}

/** No device shows this person's alerts any more: theirs are signed out, and may be anybody's. @throws Refused */
export async function dropAllPush(backend: Backend): Promise<void> {
  for (const { id } of await readMyAlertDevices(backend)) await dropAlertDevice(backend, id);
}
