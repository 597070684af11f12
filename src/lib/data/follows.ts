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

/* What somebody follows, and how they are told: under their own rights, for the pages that show or change it. */

type Backend = SupabaseClient<Database>;

/** Every update, or key events only. */
export type FollowScope = 'all' | 'key';

/** What can be followed, by its address. */
export type FollowTarget = { coverage: string } | { topic: string };

/** How somebody wants to be told of it; by neither way is not at all. */
export type FollowWish = { scope: FollowScope; mail: boolean; push: boolean };

export type Follow = FollowWish & {
  id: string;
  kind: 'coverage' | 'topic';
  slug: string;
  name: string;
  /** Of a coverage; a topic has none. */
  state: Enums<'coverage_state'> | null;
};

/** A browser that alerts go to. */
export type AlertDevice = { id: string; device: string; created_at: string; last_told_at: string | null };

/** By which ways this newsroom can tell anybody. */
export type AlertMeans = { push_key: string | null; mail: boolean };

export const targetOf = ({ kind, slug }: Pick<Follow, 'kind' | 'slug'>): FollowTarget =>
  kind === 'coverage' ? { coverage: slug } : { topic: slug };

/** @throws Refused */
export async function readMyFollows(backend: Backend): Promise<Follow[]> {
  return (await dataOf(backend.rpc('my_follows'))) as Follow[];
}

/** The browsers that alerts of this person go to. @throws Refused */
export async function readMyAlertDevices(backend: Backend): Promise<AlertDevice[]> {
  return dataOf(backend.rpc('my_push'));
}

/** @throws Refused */
export async function readAlertMeans(backend: Backend): Promise<AlertMeans> {
  return (await dataOf(backend.rpc('alert_means'))) as AlertMeans;
}

/** Follows it in this way from now on. @returns whether it is followed then @throws Refused */
export async function saveFollow(backend: Backend, target: FollowTarget, wish: FollowWish): Promise<boolean> {
  const kept = await dataOf(backend.rpc('save_follow', { op: crypto.randomUUID(), target, ...wish }));
  return kept !== null;
}

/** Sends no more alerts to a browser. @throws Refused */
export async function dropAlertDevice(backend: Backend, id: string): Promise<void> {
  await dataOf(backend.rpc('drop_push', { op: crypto.randomUUID(), id }));
}

/** What can be followed, by its address. */
export type Target = Pick<Follow, 'kind' | 'slug'>;

/** Where alerts about it are chosen. */
export const followPath = ({ kind, slug }: Target): string =>
  `/follow/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

/** The page of what is followed. */
export const targetPath = ({ kind, slug }: Target): string =>
  `/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

/** What was chosen by somebody who has yet to confirm their address: it travels in the link of the mail. */
export type Chosen = { target: Target; scope: FollowScope };

/** The address of a choice of alerts by e-mail. */
export const chosenPath = ({ target, scope }: Chosen): string =>
  pathWith(followPath(target), { mail: scope });

/** The choice that an address of ours holds; null for any other. */
export function readChosen(path: string | null): Chosen | null {
  const [, folder, slug = '', scope] = CHOSEN.exec(path ?? '') ?? [];
  if (!isSlug(slug) || !isScope(scope)) return null;
  return { target: { kind: folder === 'live' ? 'coverage' : 'topic', slug }, scope };
}

/** The same with how much of it the form says, where there is one. */
export function chosenBy(path: string | null, form: FormData | undefined): Chosen | null {
  const chosen = readChosen(path);
  const scope = form?.get('scope');
  return chosen && isScope(scope) ? { ...chosen, scope } : chosen;
}

const CHOSEN = /^\/follow\/(live|topics)\/([a-z0-9-]+)\?mail=(\w+)$/;

export const isScope = (value: unknown): value is FollowScope => value === 'all' || value === 'key';

/** What can be followed, as the pages about it name it. */
export type Followed = Target & {
  name: string;
  /** Nothing more comes of it. */
  over: boolean;
  /** The language that it is in, and the zone. */
  clock: Clock;
};

/** What is at an address; `moved`: another slug. */
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

/** The name of what is at an address; null where there is nothing to follow. */
export async function nameOfFollowed(target: Target, site: Site | null): Promise<string | null> {
  const found = await findFollowed(target, site);
  return typeof found === 'object' && 'name' in found ? found.name : null;
}

/*
 * Whoever has the secret of a mail may stop such mails: that needs no account, and shows nobody whose it is.
 */

/** What the mails are about that a secret stops. */
export type Stoppable = Target & {
  name: string;
  /** They are sent still. */
  goesOn: boolean;
};

/** What cannot be one is not asked for. */
const SECRET = /^[\w-]{20,100}$/;

/** What would be stopped; null when there is no such link. @throws Refused */
export async function readStop(secret: string): Promise<Stoppable | null> {
  if (!SECRET.test(secret)) return null;
  const found = (await dataOf(reader().rpc('read_stop', { secret }))) as Told<'mail'>;
  return found && { ...found, goesOn: found.mail };
}

/** Stops them; once more does no harm. @returns what they were about; null when there is no such link @throws Refused */
export async function stopFollow(secret: string): Promise<Stoppable | null> {
  if (!SECRET.test(secret)) return null;
  const found = (await dataOf(reader().rpc('stop_follow', { secret }))) as Told<'was'>;
  return found && { ...found, goesOn: false };
}

type Told<Flag extends string> = (Target & { name: string } & Record<Flag, boolean>) | null;
