import type {
  FollowScope,
  FollowTarget,
  FollowWithoutAccount,
  PushSubscriptionContent,
} from '../domain/follows.ts';
import type { FollowTargetArgument } from './follows.ts';
import { readerClient } from './reader-client.server.ts';
import { type BackendClient, dataOf } from './result.ts';

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
