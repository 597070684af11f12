import type { Enums } from '../domain/database.types.ts';
import type {
  FollowScope,
  FollowTarget,
  FollowWithoutAccount,
  PushSubscriptionContent,
} from '../domain/follows.ts';
import { clockOf, hasEnded, type PublicState } from '../domain/reader-coverage.ts';
import type { Clock } from '../domain/time.ts';
import { findCoverage, findTopic } from './coverages.ts';
import { readerClient } from './reader-client.server.ts';
import { type BackendClient, dataOf, runCommand } from './result.ts';
import { type Site, siteClock } from './site.ts';

/* Follows and alert settings of the signed-in person. All calls use that person's permissions. */

/** Target of a follow, as the database functions take it. */
export type FollowTargetArgument = { coverage: string } | { topic: string };

/** Settings of a follow. Without mail and push it ends. */
export type FollowSettings = { scope: FollowScope; mail: boolean; push: boolean };

export type Follow = FollowSettings &
  FollowTarget & {
    id: string;
    name: string;
    /** State of the coverage; null for a topic. */
    state: Enums<'coverage_state'> | null;
  };

/** A browser that receives push alerts. */
export type AlertDevice = { id: string; device: string; created_at: string; last_notified_at: string | null };

/** Delivery channels that this newsroom has configured. */
export type AlertChannels = { push_key: string | null; mail: boolean };

export const targetArgument = ({ kind, slug }: Pick<Follow, 'kind' | 'slug'>): FollowTargetArgument =>
  kind === 'coverage' ? { coverage: slug } : { topic: slug };

/**
 * Returns the caller's follows.
 * @throws Refused
 */
export async function readMyFollows(backend: BackendClient): Promise<Follow[]> {
  return (await dataOf(backend.rpc('my_follows'))) as Follow[];
}

/**
 * Returns the browsers that receive the caller's push alerts.
 * @throws Refused
 */
export async function readMyAlertDevices(backend: BackendClient): Promise<AlertDevice[]> {
  return dataOf(backend.rpc('my_push_subscriptions'));
}

/**
 * Returns the delivery channels that are configured.
 * @throws Refused
 */
export async function readAlertChannels(backend: BackendClient): Promise<AlertChannels> {
  return (await dataOf(backend.rpc('get_alert_channels'))) as AlertChannels;
}

/**
 * Creates, changes or ends a follow.
 * @returns whether the target is followed now
 * @throws Refused
 */
export async function saveFollow(
  backend: BackendClient,
  target: FollowTargetArgument,
  { scope, mail, push }: FollowSettings,
): Promise<boolean> {
  const follow = await runCommand(backend, 'save_follow', { target, scope, by_mail: mail, by_push: push });
  return follow !== null;
}

/**
 * Stops push alerts to a browser.
 * @throws Refused
 */
export async function removeAlertDevice(backend: BackendClient, id: string): Promise<void> {
  await runCommand(backend, 'delete_push_subscription', { id });
}

/** A coverage or topic as the follow pages show it. */
export type FollowTargetInfo = FollowTarget & {
  name: string;
  /** No more updates are expected. */
  ended: boolean;
  /** Language and time zone of the target. */
  clock: Clock;
};

/** Result of looking up a target. `moved` is its new slug. */
type FollowTargetResult = FollowTargetInfo | { moved: string } | 'gone' | 'not_found';

export async function findFollowTarget(
  { kind, slug }: FollowTarget,
  site: Site | null,
): Promise<FollowTargetResult> {
  if (kind === 'topic') {
    const topic = await findTopic(slug);
    return topic ? { kind, slug, name: topic.name, ended: false, clock: siteClock(site) } : 'not_found';
  }
  const result = await findCoverage(slug);
  if (result.kind === 'moved') return { moved: result.slug };
  if (result.kind !== 'coverage') return result.kind;
  const { coverage } = result;
  return { kind, slug, name: coverage.headline, ended: hasEnded(coverage.state), clock: clockOf(coverage) };
}

/** Maximum number of coverages, and of topics, to choose from. No newsroom has as many. */
const MAX_CHOICES = 100;

/** Returns what can be followed: coverages that run, the newest first, those to come, the soonest first, and topics. */
export async function readFollowChoices() {
  const [coverages, topics] = await Promise.all([
    dataOf(
      readerClient()
        .from('coverages')
        .select('slug, headline, state, language, starts_at, published_at')
        .in('state', ['live', 'paused', 'scheduled'])
        .order('published_at', { ascending: false })
        .limit(MAX_CHOICES),
    ),
    dataOf(readerClient().from('topics').select('slug, name, description').order('name').limit(MAX_CHOICES)),
  ]);
  const lines = coverages.map((row) => ({ ...row, state: row.state as PublicState }));
  const startOf = ({ starts_at }: (typeof lines)[number]) => starts_at ?? '';
  return {
    running: lines.filter(({ state }) => state !== 'scheduled'),
    coming: lines
      .filter(({ state }) => state === 'scheduled')
      .toSorted((a, b) => startOf(a).localeCompare(startOf(b))),
    topics,
  };
}

/* Unsubscribe links: the secret in a mail ends its follow without an account, and reveals nothing about the account. */

/** The follow that an unsubscribe link ends. */
type UnsubscribeInfo = FollowTarget & {
  name: string;
  /** Whether mails are still sent. */
  isActive: boolean;
};

/** Form of a secret. Anything else is rejected without a query. */
const SECRET = /^[\w-]{20,100}$/;

/**
 * Returns the follow of an unsubscribe link; null if there is none.
 * @throws Refused
 */
export async function readUnsubscribe(secret: string): Promise<UnsubscribeInfo | null> {
  if (!SECRET.test(secret)) return null;
  const result = (await dataOf(
    readerClient().rpc('read_unsubscribe_link', { token: secret }),
  )) as UnsubscribeRow<'mail'>;
  return result && { ...result, isActive: result.mail };
}

/**
 * Ends the mails of an unsubscribe link. May be repeated.
 * @returns the follow; null if there is no such link
 * @throws Refused
 */
export async function unsubscribe(secret: string): Promise<UnsubscribeInfo | null> {
  if (!SECRET.test(secret)) return null;
  const result = (await dataOf(
    readerClient().rpc('unsubscribe', { token: secret }),
  )) as UnsubscribeRow<'was'>;
  return result && { ...result, isActive: false };
}

type UnsubscribeRow<Flag extends string> = (FollowTarget & { name: string } & Record<Flag, boolean>) | null;

/* Follows without an account: of a device, and of an e-mail address that a mailed link confirms. */

/**
 * Returns the follows of a device; null if it is not registered without an account.
 * @param subscription push subscription of the browser, which proves that the caller is that browser
 * @throws Refused
 */
export async function readDeviceFollows(
  backend: BackendClient,
  subscription: PushSubscriptionContent,
): Promise<FollowWithoutAccount[] | null> {
  return (await dataOf(backend.rpc('list_device_follows', { subscription }))) as
    | FollowWithoutAccount[]
    | null;
}

/**
 * Follows a target on a device, or changes the scope.
 * @param device name of the device
 * @returns the follows of the device
 * @throws Refused (`conflict` if the browser belongs to an account)
 */
export async function saveDeviceFollow(
  backend: BackendClient,
  subscription: PushSubscriptionContent,
  device: string,
  target: FollowTargetArgument,
  scope: FollowScope,
): Promise<FollowWithoutAccount[]> {
  const call = { subscription, device, target, scope };
  return (await dataOf(backend.rpc('save_device_follow', call))) as FollowWithoutAccount[];
}

/**
 * Ends one follow of a device, or all of them.
 * @returns the remaining follows
 * @throws Refused
 */
export async function deleteDeviceFollows(
  backend: BackendClient,
  subscription: PushSubscriptionContent,
  target: FollowTargetArgument | null,
): Promise<FollowWithoutAccount[]> {
  const call = { subscription, ...(target && { target }) };
  return (await dataOf(backend.rpc('delete_device_follows', call))) as FollowWithoutAccount[];
}

/**
 * Replaces the push subscription of a device that the browser has renewed.
 * @returns the follows of the device; null if the former subscription is not known
 * @throws Refused
 */
export async function replaceDeviceSubscription(
  backend: BackendClient,
  former: PushSubscriptionContent,
  subscription: PushSubscriptionContent,
): Promise<FollowWithoutAccount[] | null> {
  return (await dataOf(backend.rpc('replace_device_subscription', { former, subscription }))) as
    | FollowWithoutAccount[]
    | null;
}

/**
 * Requests a mail with a link that starts a follow. Succeeds alike for every address.
 * @throws Refused (`invalid` for the field `email`, `rate_limited`)
 */
export async function requestMailFollow(
  backend: BackendClient,
  target: FollowTargetArgument,
  scope: FollowScope,
  email: string,
): Promise<void> {
  await dataOf(backend.rpc('request_mail_follow', { target, scope, email }));
}

/** The follow that a mailed link starts. */
type RequestedFollow = FollowTarget & { name: string; scope: FollowScope; confirmed: boolean };

/** Form of the secret in a link. Anything else is rejected without a query. */
const TOKEN = /^[\w-]{43}$/;

/**
 * Returns the follow of a mailed link; null if there is none, or it has expired.
 * @throws Refused
 */
export async function readFollowRequest(token: string): Promise<RequestedFollow | null> {
  if (!TOKEN.test(token)) return null;
  return (await dataOf(readerClient().rpc('read_follow_request', { token }))) as RequestedFollow | null;
}

/**
 * Starts the follow of a mailed link. May be repeated.
 * @returns the follow; null if there is no such link
 * @throws Refused
 */
export async function confirmFollowRequest(token: string): Promise<RequestedFollow | null> {
  if (!TOKEN.test(token)) return null;
  return (await dataOf(readerClient().rpc('confirm_follow_request', { token }))) as RequestedFollow | null;
}

/**
 * Returns the follows by the caller's confirmed address that belong to no account.
 * @throws Refused
 */
export async function readAddressFollows(backend: BackendClient): Promise<FollowWithoutAccount[]> {
  return (await dataOf(backend.rpc('my_address_follows'))) as FollowWithoutAccount[];
}

/**
 * Moves these follows into the caller's account.
 * @throws Refused
 */
export async function adoptAddressFollows(backend: BackendClient): Promise<void> {
  await dataOf(backend.rpc('adopt_address_follows', { idempotency_key: crypto.randomUUID() }));
}
