import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { refusalFromResponse } from '../../lib/data/result.ts';
import type { TipRequest, TipResponse, Upload } from '../../lib/data/tips.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import type { AccessTokens } from '../outbox/access-tokens.ts';
import { withLocalStorage } from './draft.ts';

/** Timeout of a request in milliseconds. */
const RESPONSE_TIMEOUT_MS = 30_000;
/** Absolute URL of the backend without a trailing slash. */
export const backendUrl = ({ publicUrl }: BrowserBackend): string =>
  new URL(publicUrl, location.origin).href.replace(/\/$/, '');

/** Id and name of the signed-in person, or null. A failed request counts as signed out. */
export async function signedInPerson(): Promise<{ id: string; name: string } | null> {
  try {
    const response = await fetch('/api/me', { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    const { person } = (await response.json()) as { person?: { id: string; display_name: string } | null };
    return person ? { id: person.id, name: person.display_name } : null;
  } catch {
    return null;
  }
}

/**
 * Submits a tip, with the person's account or anonymously. `isAnonymous` is true when the person's session has ended.
 * @throws Refused
 */
export async function submitTip(
  backend: BrowserBackend,
  tip: TipRequest,
  person: string | null,
  stop: AbortSignal,
): Promise<{ received: TipResponse; isAnonymous: boolean }> {
  const tokens = person === null ? null : await loadTokens(person);
  const token = tokens && (await tokenOrNull(tokens));
  const first = await callFunction(backend, tip, token, stop);
  const isRefused = first.status === 401 && token !== null;
  if (isRefused) tokens?.forget();
  const response = isRefused ? await callFunction(backend, tip, null, stop) : first;
  if (!response.ok) throw new Refused(await refusalFromResponse(response));
  const received = (await response.json().catch(failUnavailable)) as TipResponse;
  if (received.device) withLocalStorage((storage) => storage.setItem(DEVICE_KEY, received.device ?? ''));
  return { received, isAnonymous: person !== null && (isRefused || token === null) };
}

/**
 * Requests a new upload URL for a photo whose URL has expired.
 * @returns null when the photo was already uploaded
 * @throws Refused
 */
export async function renewUploadUrl(
  backend: BrowserBackend,
  { path, again }: Upload,
  stop: AbortSignal,
): Promise<Upload | null> {
  const response = await callFunction(backend, { photo: photoIdIn(path), again }, null, stop);
  if (!response.ok) throw new Refused(await refusalFromResponse(response));
  return ((await response.json().catch(failUnavailable)) as Pick<TipResponse, 'upload'>).upload;
}

/** Id of the photo at an upload path. */
export const photoIdIn = (path: string): string => path.split('/').at(-1) ?? '';

/** Without supabase-js, which is as large as the whole page. */
function callFunction(
  backend: BrowserBackend,
  sent: object,
  token: string | null,
  stop: AbortSignal,
): Promise<Response> {
  const device = withLocalStorage((storage) => storage.getItem(DEVICE_KEY));
  return fetch(`${backendUrl(backend)}/functions/v1/submit-tip`, {
    method: 'POST',
    headers: {
      apikey: backend.publishableKey,
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({ ...sent, ...(device ? { device } : {}) }),
    signal: AbortSignal.any([AbortSignal.timeout(RESPONSE_TIMEOUT_MS), stop]),
  }).catch(failUnavailable);
}

/** Signed device id, by which the function counts tips of one device. */
const DEVICE_KEY = 'stoppress.device';

const failUnavailable = () => {
  throw new Refused('unavailable');
};

/** Loaded on demand, because few senders are signed in. */
async function loadTokens(person: string): Promise<AccessTokens> {
  const { accessTokens } = await import('../outbox/access-tokens.ts').catch(failUnavailable);
  return accessTokens(person);
}

/** Null when the session has ended or belongs to another person. */
async function tokenOrNull(tokens: AccessTokens): Promise<string | null> {
  try {
    return await tokens.get();
  } catch (error) {
    if (error instanceof Refused && error.refusal.code !== 'unavailable') return null;
    throw error;
  }
}

/** Has the photo processed now. If that fails, it is processed later. */
export async function processPhoto(photo: string): Promise<'refused' | 'arrived'> {
  const response = await fetch(`/api/photos/${photo}`, { method: 'POST' }).catch(() => null);
  const { state } = response?.ok ? ((await response.json().catch(() => ({}))) as { state?: string }) : {};
  return state === 'refused' ? 'refused' : 'arrived';
}
