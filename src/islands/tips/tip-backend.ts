import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { refusalOf } from '../../lib/data/result.ts';
import type { SentTip, Taken, Upload } from '../../lib/data/tip-form.ts';
import { type Refusal, Refused, refusal } from '../../lib/i18n/refusals.ts';
import type { AccessTokens } from '../outbox/access-tokens.ts';
import { having } from './draft.ts';

/** Milliseconds after which a line that says nothing counts as gone. */
const LONGEST_SILENCE_MS = 30_000;
/** Milliseconds between tries: each twice as long as the one before, up to the longest. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
/** However long it is asked to wait: the windows of the newsroom's limits are no longer. */
const LONGEST_ASKED_MS = 3_600_000;

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

/**
 * Asks for another place for a photo whose own is good no more.
 * @returns null when the photo is there
 * @throws Refused
 */
export async function placeAgain(
  backend: BrowserBackend,
  { path, again }: Upload,
  stop: AbortSignal,
): Promise<Upload | null> {
  const answer = await call(backend, { photo: photoIn(path), again }, null, stop);
  if (!answer.ok) throw new Refused(await refusalOf(answer));
  return ((await answer.json().catch(lost)) as Pick<Taken, 'upload'>).upload;
}

/** The id of the photo that goes there. */
export const photoIn = (path: string): string => path.split('/').at(-1) ?? '';

/** Without supabase-js, which takes as many bytes as the whole page does. */
function call(
  backend: BrowserBackend,
  sent: object,
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
    body: JSON.stringify({ ...sent, ...(device ? { device } : {}) }),
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
  const { accessTokens } = await import('../outbox/access-tokens.ts').catch(lost);
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

/** Does something again and again, for as long as nothing is wrong with it itself and nobody stops it. */
export async function untilHeard<T>(
  waiting: () => void,
  stop: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, 2 * wait)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused) || !isPassing(error.refusal)) throw error;
      stop.throwIfAborted();
      waiting();
      await awhile(error.refusal, wait, stop);
      stop.throwIfAborted();
    }
  }
}

/** What says nothing of what was sent: it is good at another time. */
const isPassing = ({ code }: Refusal) => ['unavailable', 'rate_limited', 'internal'].includes(code);

/** A while, and as long as was asked; where the line is what is wrong, until it is back. Or until it is stopped. */
function awhile({ code, retryAfter = 0 }: Refusal, least: number, stop: AbortSignal): Promise<void> {
  const ms = Math.max(least, Math.min(LONGEST_ASKED_MS, retryAfter * 1000));
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (code === 'unavailable') addEventListener('online', done);
    stop.addEventListener('abort', done);
  });
}
