import type { APIContext } from 'astro';
import type { Person } from '../auth/person.ts';
import { sessionOf } from '../auth/session.server.ts';
import type { Refusal } from '../http/errors.ts';
import { readForm } from '../http/forms.ts';
import { speak } from '../http/speaking.server.ts';
import { readSite, type Site } from '../site/read.ts';
import type { follow } from '../text/follow.ts';
import { alertMeans, answerFollow, type OpenFollow, openFollow, readWish } from './follow.server.ts';
import { followPath, isScope, type Target } from './follow.ts';
import { type Followed, findFollowed } from './followed.ts';
import type { AlertMeans, FollowWish } from './my-follows.ts';

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
