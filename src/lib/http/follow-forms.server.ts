import type { APIContext } from 'astro';
import { readMailbox } from '../data/accounts.server.ts';
import {
  type AlertMeans,
  type Chosen,
  type Follow,
  type Followed,
  type FollowWish,
  findFollowed,
  followPath,
  isScope,
  readAlertMeans,
  readMyAlertDevices,
  readMyFollows,
  saveFollow,
  type Target,
  targetOf,
} from '../data/follows.ts';
import { readForm, textOf } from '../data/forms.ts';
import { reader } from '../data/reader-client.server.ts';
import { type Session, sessionOf } from '../data/session.server.ts';
import { readSite, type Site } from '../data/site.ts';
import { pathWith } from '../domain/paths.ts';
import type { Person } from '../domain/permissions.ts';
import { type follow, follow as words } from '../i18n/follow.ts';
import { type Refusal, Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { speak } from '../i18n/request-language.server.ts';

type Backend = Session['backend'];

/** What somebody sees who comes to choose their alerts about something. */
export type OpenFollow = {
  /** What is in force; null when nothing is. */
  now: Follow | null;
  email: string;
  /** The ids of their devices that show alerts. */
  devices: string[];
};

export const alertMeans = (): Promise<AlertMeans> => readAlertMeans(reader());

/** @throws Refused */
export async function openFollow(backend: Backend, target: Target): Promise<OpenFollow> {
  const [now, { email }, devices] = await Promise.all([
    followOf(backend, target),
    readMailbox(backend),
    readMyAlertDevices(backend),
  ]);
  return { now, email, devices: devices.map(({ id }) => id) };
}

const followOf = async (backend: Backend, { kind, slug }: Target): Promise<Follow | null> =>
  (await readMyFollows(backend)).find((one) => one.kind === kind && one.slug === slug) ?? null;

/** What a form of the page wishes for. */
export function readWish(form: FormData): FollowWish {
  const scope = textOf(form, 'scope');
  return { scope: isScope(scope) ? scope : 'all', mail: form.has('mail'), push: form.has('push') };
}

/**
 * Does what the form of somebody who is signed in asks for: `stop` ends it, anything else is saved.
 * @returns the path to go on to, or why nothing was done
 */
export async function answerFollow(
  form: FormData,
  target: Target,
  { locals }: { locals: App.Locals },
): Promise<string | Refusal> {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return refusal('signed_out', { sentence: words.nobody.signedOut });
    const isStop = textOf(form, 'act') === 'stop';
    const wish = { ...readWish(form), ...(isStop ? { mail: false, push: false } : {}) };
    if (!isStop) {
      const wrong = await wrongWith(wish, backend);
      if (wrong) return refusal('invalid', { sentence: wrong });
    }
    await saveFollow(backend, targetOf(target), wish);
    return pathWith(followPath(target), { done: isStop ? 'stopped' : 'saved' });
  } catch (error) {
    return refusalOrThrow(error);
  }
}

/** What would tell nobody anything. */
async function wrongWith({ mail, push }: FollowWish, backend: Backend): Promise<string | undefined> {
  if (!mail && !push) return words.how.neither;
  if (mail || (await readMyAlertDevices(backend)).length > 0) return undefined;
  return words.how.noDevice;
}

/**
 * Begins what somebody chose before they had confirmed their address, now that they have: their own press is behind it.
 * How they are told already stays.
 * @returns the path to go on to, where it says what is in force
 */
export async function beginChosen(backend: Backend, { target, scope }: Chosen): Promise<string> {
  try {
    const now = await followOf(backend, target);
    const wish = { scope, mail: true, push: now?.push ?? false };
    await saveFollow(backend, targetOf(target), wish);
    return pathWith(followPath(target), { done: 'confirmed' });
  } catch (error) {
    refusalOrThrow(error);
    // They are in, and the link is used up: the page has the choice ready to be pressed again.
    return pathWith(followPath(target), { mail: scope });
  }
}

/** A form about one of the things that somebody follows: without either way to be told, it is to stop. */
type FollowForm = Target & { wish: FollowWish };

/** @throws Refused `invalid` where it is none of ours */
export function readFollowForm(form: FormData): FollowForm {
  const kind = textOf(form, 'kind');
  if (kind !== 'coverage' && kind !== 'topic') throw new Refused(refusal('invalid'));
  return { kind, slug: textOf(form, 'slug'), wish: readWish(form) };
}

/** What was sent of something that is followed, to be shown again; of what is none of ours nothing. */
export function typedFollow(form: FormData): Partial<Follow> | undefined {
  try {
    const { wish, ...target } = readFollowForm(form);
    return { ...target, ...wish };
  } catch {
    return undefined;
  }
}

type Done = keyof typeof follow.done;

/** What a visit of the page shows, in the language of what is followed. */
export type FollowVisit = {
  followed: Followed;
  site: Site;
  madeAt: Date;
  means: AlertMeans;
  person: Person | null;
  /** Of somebody who is signed in. */
  open: OpenFollow | null;
  /** What the form says. */
  wish: FollowWish;
  refusal: Refusal | undefined;
  /** What has just happened. */
  done: Done | undefined;
};

/** Nothing to follow at this address, or what to go on to. */
type Elsewhere =
  | { missing: 'gone' | 'not_found'; site: Site; madeAt: Date }
  | { goTo: string; status: 301 | 303 };

type Visit = Pick<APIContext, 'locals' | 'request' | 'url'>;

/** @throws Refused (`unavailable`) */
export async function visitFollow(visit: Visit, target: Target): Promise<FollowVisit | Elsewhere> {
  const madeAt = new Date();
  const site = await readSite();
  const followed = await findFollowed(target, site);
  if (typeof followed === 'string') return { missing: followed, site, madeAt };
  if ('moved' in followed) return { goTo: followPath({ ...target, slug: followed.moved }), status: 301 };
  speak(followed.clock.language);

  const form = visit.request.method === 'POST' ? await readForm(visit.request) : undefined;
  const answer = form && (await answerFollow(form, target, visit));
  if (typeof answer === 'string') return { goTo: answer, status: 303 };
  const { person, backend } = sessionOf(visit.locals);
  const [means, open] = await Promise.all([alertMeans(), person ? openFollow(backend, target) : null]);
  const wish = form ? readWish(form) : wishOf(open, visit.url);
  return { followed, site, madeAt, means, person, open, wish, refusal: answer, done: doneOf(visit.url) };
}

/** As it is; or as it was chosen, where the address holds a choice that is not in force. */
function wishOf(open: OpenFollow | null, { searchParams }: URL): FollowWish {
  const chosen = searchParams.get('mail');
  const { scope, mail, push } = open?.now ?? { scope: 'all', mail: false, push: false };
  return isScope(chosen) ? { scope: chosen, mail: true, push } : { scope, mail, push };
}

const doneOf = ({ searchParams }: URL): Done | undefined =>
  DONE.find((name) => name === searchParams.get('done'));

const DONE: readonly Done[] = ['saved', 'stopped', 'confirmed'];
