import type { SupabaseClient } from '@supabase/supabase-js';
import { isSlug } from '../domain/coverages.ts';
import type { Database, Enums } from '../domain/database.types.ts';
import { pathWith } from '../domain/paths.ts';
import { clockOf, hasEnded } from '../domain/reader-coverage.ts';
import type { Clock } from '../domain/time.ts';
import { findCoverage } from './coverages.ts';
import { reader } from './reader-client.server.ts';
import { dataOf } from './result.ts';
import { type Site, siteClock } from './site.ts';
import { findTopic } from './topics.ts';

/* Follows and alert settings of the signed-in person. All calls use that person's permissions. */

type Backend = SupabaseClient<Database>;

/** All updates or key events only. */
export type FollowScope = 'all' | 'key';

/** Target of a follow, as the database functions take it. */
export type FollowTarget = { coverage: string } | { topic: string };

/** Settings of a follow. Without mail and push it ends. */
export type FollowWish = { scope: FollowScope; mail: boolean; push: boolean };

export type Follow = FollowWish & {
  id: string;
  kind: 'coverage' | 'topic';
  slug: string;
  name: string;
  /** State of the coverage; null for a topic. */
  state: Enums<'coverage_state'> | null;
};

/** A browser that receives push alerts. */
export type AlertDevice = { id: string; device: string; created_at: string; last_told_at: string | null };

/** Delivery channels that this newsroom has configured. */
export type AlertMeans = { push_key: string | null; mail: boolean };

export const targetOf = ({ kind, slug }: Pick<Follow, 'kind' | 'slug'>): FollowTarget =>
  kind === 'coverage' ? { coverage: slug } : { topic: slug };

/**
 * Returns the caller's follows.
 * @throws Refused
 */
export async function readMyFollows(backend: Backend): Promise<Follow[]> {
  return (await dataOf(backend.rpc('my_follows'))) as Follow[];
}

/**
 * Returns the browsers that receive the caller's push alerts.
 * @throws Refused
 */
export async function readMyAlertDevices(backend: Backend): Promise<AlertDevice[]> {
  return dataOf(backend.rpc('my_push'));
}

/**
 * Returns the delivery channels that are configured.
 * @throws Refused
 */
export async function readAlertMeans(backend: Backend): Promise<AlertMeans> {
  return (await dataOf(backend.rpc('alert_means'))) as AlertMeans;
}

/**
 * Creates, changes or ends a follow.
 * @returns whether the target is followed now
 * @throws Refused
 */
export async function saveFollow(backend: Backend, target: FollowTarget, wish: FollowWish): Promise<boolean> {
  const kept = await dataOf(backend.rpc('save_follow', { op: crypto.randomUUID(), target, ...wish }));
  return kept !== null;
}

/**
 * Stops push alerts to a browser.
 * @throws Refused
 */
export async function dropAlertDevice(backend: Backend, id: string): Promise<void> {
  await dataOf(backend.rpc('drop_push', { op: crypto.randomUUID(), id }));
}

/** A coverage or topic that can be followed. */
export type Target = Pick<Follow, 'kind' | 'slug'>;

/** Path of the page with the alert settings of a target. */
export const followPath = ({ kind, slug }: Target): string =>
  `/follow/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

/** Path of the page of a coverage or topic. */
export const targetPath = ({ kind, slug }: Target): string =>
  `/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

/** A follow that a visitor requested and has to confirm by mail. It is stored in the mailed link. */
export type Chosen = { target: Target; scope: FollowScope };

/** Path of a requested follow. */
export const chosenPath = ({ target, scope }: Chosen): string =>
  pathWith(followPath(target), { mail: scope });

/** Reads a requested follow from a path of this site; null for any other path. */
export function readChosen(path: string | null): Chosen | null {
  const [, folder, slug = '', scope] = CHOSEN.exec(path ?? '') ?? [];
  if (!isSlug(slug) || !isScope(scope)) return null;
  return { target: { kind: folder === 'live' ? 'coverage' : 'topic', slug }, scope };
}

/** Reads a requested follow. A scope in the form overrides the one in the path. */
export function chosenBy(path: string | null, form: FormData | undefined): Chosen | null {
  const chosen = readChosen(path);
  const scope = form?.get('scope');
  return chosen && isScope(scope) ? { ...chosen, scope } : chosen;
}

const CHOSEN = /^\/follow\/(live|topics)\/([a-z0-9-]+)\?mail=(\w+)$/;

export const isScope = (value: unknown): value is FollowScope => value === 'all' || value === 'key';

/** A coverage or topic as the follow pages show it. */
export type Followed = Target & {
  name: string;
  /** No more updates are expected. */
  over: boolean;
  /** Language and time zone of the target. */
  clock: Clock;
};

/** Result of looking up a target. `moved` is its new slug. */
export type FoundFollowed = Followed | { moved: string } | 'gone' | 'not_found';

export async function findFollowed({ kind, slug }: Target, site: Site | null): Promise<FoundFollowed> {
  if (kind === 'topic') {
    const topic = await findTopic(slug);
    return topic ? { kind, slug, name: topic.name, over: false, clock: siteClock(site) } : 'not_found';
  }
  const found = await findCoverage(slug);
  if (found.kind === 'moved') return { moved: found.slug };
  if (found.kind !== 'found') return found.kind;
  const { coverage } = found;
  return { kind, slug, name: coverage.headline, over: hasEnded(coverage.state), clock: clockOf(coverage) };
}

/** Returns the name of a target; null if it does not exist. */
export async function nameOfFollowed(target: Target, site: Site | null): Promise<string | null> {
  const found = await findFollowed(target, site);
  return typeof found === 'object' && 'name' in found ? found.name : null;
}

/* Unsubscribe links: the secret in a mail ends its follow without an account, and reveals nothing about the account. */

/** The follow that an unsubscribe link ends. */
export type Stoppable = Target & {
  name: string;
  /** Whether mails are still sent. */
  goesOn: boolean;
};

/** Form of a secret. Anything else is rejected without a query. */
const SECRET = /^[\w-]{20,100}$/;

/**
 * Returns the follow of an unsubscribe link; null if there is none.
 * @throws Refused
 */
export async function readStop(secret: string): Promise<Stoppable | null> {
  if (!SECRET.test(secret)) return null;
  const found = (await dataOf(reader().rpc('read_stop', { secret }))) as Told<'mail'>;
  return found && { ...found, goesOn: found.mail };
}

/**
 * Ends the mails of an unsubscribe link. May be repeated.
 * @returns the follow; null if there is no such link
 * @throws Refused
 */
export async function stopFollow(secret: string): Promise<Stoppable | null> {
  if (!SECRET.test(secret)) return null;
  const found = (await dataOf(reader().rpc('stop_follow', { secret }))) as Told<'was'>;
  return found && { ...found, goesOn: false };
}

type Told<Flag extends string> = (Target & { name: string } & Record<Flag, boolean>) | null;
