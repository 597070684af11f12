import type { AccessTokens } from '../../lib/auth/access-tokens.ts';
import { Refused, refusal } from '../../lib/http/errors.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { refusalOf } from '../../lib/supabase/functions.ts';
import type { SentTip, Taken } from '../../lib/tips/tip.ts';
import { having } from './kept-tip.ts';

/** Milliseconds after which a line that says nothing counts as gone. */
const LONGEST_SILENCE_MS = 30_000;
/** Milliseconds between tries: each twice as long as the one before, up to the longest. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

/** The backend's address, absolute and without a slash at its end. */
export const urlOf = ({ publicUrl }: BrowserBackend): string =>
  new URL(publicUrl, location.origin).href.replace(/\/$/, '');

/** A name for whoever is signed in here, or null. A line that does not say counts as nobody: then nothing is offered. */
export async function whoIsHere(): Promise<{ id: string; name: string } | null> {
  try {
    const answer = await fetch('/api/me', { signal: AbortSignal.timeout(LONGEST_SILENCE_MS) });
    const { person } = (await answer.json()) as { person?: { id: string; display_name: string } | null };
    return person ? { id: person.id, name: person.display_name } : null;
  } catch {
    return null;
  }
}

/**
 * Gives the function a tip, as somebody's or as nobody's. `isApart`: it was to be somebody's, and their session has
 * ended.
 * @throws Refused
 */
export async function tellTip(
  backend: BrowserBackend,
  tip: SentTip,
  person: string | null,
  stop: AbortSignal,
): Promise<{ taken: Taken; isApart: boolean }> {
  const tokens = person === null ? null : await tokensOf(person);
  const token = tokens && (await tokenOf(tokens));
  const first = await call(backend, tip, token, stop);
  const isRefused = first.status === 401 && token !== null;
  if (isRefused) tokens?.forget();
  const answer = isRefused ? await call(backend, tip, null, stop) : first;
  if (!answer.ok) throw new Refused(await refusalOf(answer));
  const taken = (await answer.json().catch(lost)) as Taken;
  if (taken.device) having((kept) => kept.setItem(DEVICE, taken.device ?? ''));
  return { taken, isApart: person !== null && (isRefused || token === null) };
}

/** Without supabase-js, which takes as many bytes as the whole page does. */
function call(
  backend: BrowserBackend,
  tip: SentTip,
  token: string | null,
  stop: AbortSignal,
): Promise<Response> {
  const device = having((kept) => kept.getItem(DEVICE));
  return fetch(`${urlOf(backend)}/functions/v1/submit-tip`, {
    method: 'POST',
    headers: {
      apikey: backend.publishableKey,
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({ ...tip, ...(device ? { device } : {}) }),
    signal: AbortSignal.any([AbortSignal.timeout(LONGEST_SILENCE_MS), stop]),
  }).catch(lost);
}

/** By which the tips of one device are counted: the function has signed it. */
const DEVICE = 'stoppress.device';

const lost = () => {
  throw new Refused(refusal('unavailable'));
};

/** Few who send a tip are signed in: what this takes is fetched for them. */
async function tokensOf(person: string): Promise<AccessTokens> {
  const { accessTokens } = await import('../../lib/auth/access-tokens.ts').catch(lost);
  return accessTokens(person);
}

/** Null where their session has ended, or is somebody else's. */
async function tokenOf(tokens: AccessTokens): Promise<string | null> {
  try {
    return await tokens.get();
  } catch (error) {
    if (error instanceof Refused && error.refusal.code !== 'unavailable') return null;
    throw error;
  }
}

/** Has the photo looked at now. Where that cannot be, it is done later. */
export async function develop(photo: string): Promise<'refused' | 'arrived'> {
  const answer = await fetch(`/api/photos/${photo}`, { method: 'POST' }).catch(() => null);
  const { state } = answer?.ok ? ((await answer.json().catch(() => ({}))) as { state?: string }) : {};
  return state === 'refused' ? 'refused' : 'arrived';
}

/** Does something again and again, for as long as the line is the only thing that is wrong and nobody stops it. */
export async function untilHeard<T>(
  waiting: () => void,
  stop: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, 2 * wait)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused) || error.refusal.code !== 'unavailable') throw error;
      stop.throwIfAborted();
      waiting();
      await online(wait, stop);
      stop.throwIfAborted();
    }
  }
}

/** A while, or until the browser has a line again or it is stopped. */
function online(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    stop.addEventListener('abort', done);
  });
}
