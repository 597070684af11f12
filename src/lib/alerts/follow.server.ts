import { readMailbox } from '../auth/accounts.server.ts';
import { type Session, sessionOf } from '../auth/session.server.ts';
import { type Refusal, refusal, refusalOrThrow } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { pathWith } from '../http/path.ts';
import { reader } from '../supabase/reader.server.ts';
import { follow as words } from '../text/follow.ts';
import { type Chosen, followPath, isScope, type Target } from './follow.ts';
import {
  type AlertMeans,
  type Follow,
  type FollowWish,
  readAlertMeans,
  readMyAlertDevices,
  readMyFollows,
  saveFollow,
  targetOf,
} from './my-follows.ts';

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
