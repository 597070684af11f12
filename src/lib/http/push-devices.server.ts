import { readMyAlertDevices, removeAlertDevice } from '../data/follows.ts';
import { describeUserAgent } from '../data/people.ts';
import { dataOf } from '../data/result.ts';
import type { Session } from '../data/session.server.ts';
import { isUuid } from '../domain/paths.ts';

type Backend = Session['backend'];

/** A Web Push subscription, as the browser reports it. */
type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** A device's registration: its subscription, its owner and its former id. */
export type DeviceRegistration = { person: string; subscription: Subscription; former?: string | undefined };

/** Parses a registration; undefined when it is malformed. */
export function parseRegistration(body: unknown): DeviceRegistration | undefined {
  if (!isObject(body) || !isObject(body.subscription) || !isObject(body.subscription.keys)) return undefined;
  const { person, former } = body;
  const { endpoint, keys } = body.subscription;
  const { p256dh, auth } = keys as Record<string, unknown>;
  if (![person, endpoint, p256dh, auth].every((value) => typeof value === 'string')) return undefined;
  const subscription = { endpoint, keys: { p256dh, auth } };
  return {
    person,
    subscription,
    former: typeof former === 'string' && isUuid(former) ? former : undefined,
  } as DeviceRegistration;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Saves the subscription of this device and removes its former one. @throws Refused */
export async function savePush(
  backend: Backend,
  { subscription, former }: DeviceRegistration,
  request: Request,
): Promise<{ id: string }> {
  const { browser, system } = describeUserAgent(request.headers.get('user-agent') ?? '');
  const device = [browser, system].filter(Boolean).join(', ');
  const call = { idempotency_key: crypto.randomUUID(), subscription, device };
  const saved = (await dataOf(backend.rpc('save_push_subscription', call))) as { id: string };
  if (former && former !== saved.id) await removeAlertDevice(backend, former);
  return saved;
}

/** Removes all push subscriptions of a person, because signed-out devices may belong to anyone. @throws Refused */
export async function dropAllPush(backend: Backend): Promise<void> {
  for (const { id } of await readMyAlertDevices(backend)) await removeAlertDevice(backend, id);
}
