import { type SupabaseContext, withSupabase } from '@supabase/server';
import { decryptSecret, encryptSecret, type SecretUse } from '../_shared/crypto.ts';
import { backendSecretKey, denoNetwork, websiteUrl } from '../_shared/deno.ts';
import { createRateLimit } from '../_shared/rate-limit.ts';
import {
  dataOf,
  explainErrors,
  notUnderstood,
  Refused,
  readJsonObject,
  textField,
  withErrorCodes,
} from '../_shared/refusals.ts';
import {
  type DraftPhoto,
  type DraftPost,
  type DraftSource,
  makeDraft,
  placePhotos,
  type UploadedPhoto,
  uploadToMediaLibrary,
} from './draft.ts';
import { AnswerLost, callWordPress, REQUEST_LIMITS, readSiteAddress, type WordPress } from './rest.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** Most photos of a draft, and their bytes together. The largest rendition has about 400 KB. */
const MAX_PHOTOS = 12;
const MAX_PHOTO_BYTES = 10_000_000;
/** Time after which no further upload begins. The proxy of our site ends a call after 60 seconds. */
const PHOTOS_TIMEOUT_MS = 25_000;
const DOWNLOAD_TIMEOUT_MS = 10_000;

/** Reasons for which WordPress refuses every photo. */
const REFUSALS_OF_ALL = new Set<string | null>(['wordpress_may_not_write', 'wordpress_password_refused']);

/** Calls per minute and person. */
const limitCalls = createRateLimit(30, 60_000);

const privateOrigin = Deno.env.get('STOPPRESS_PRIVATE_WORDPRESS');
const access = { ...REQUEST_LIMITS, net: denoNetwork, privateOrigin };

/**
 * The WordPress of the newsroom. Owners send `{ act: 'save', url, username, password }`, answered with `{ url, username
 * }`, and `{ act: 'test' }`, answered with `{ name, hasUploads }`. Editors send `{ act: 'draft', update }`, answered with
 * `{ link, isNew, missingPhotos }`: how many photos are only links. The database decides about each permission.
 */
async function handle(request: Request, context: SupabaseContext): Promise<Response> {
  const sent = await readJsonObject(request, MAX_BODY_BYTES);
  const caller = context.userClaims?.id;
  if (!caller) throw new Refused('signed_out');
  const wait = limitCalls(caller);
  if (wait > 0) throw new Refused('rate_limited', null, { retryAfter: wait });
  if (sent.act === 'save') return Response.json(await save(context, sent));
  if (sent.act === 'test') return Response.json(await test(context));
  if (sent.act === 'draft') return Response.json(await draft(context, textField(sent, 'update')));
  throw notUnderstood('act');
}

/** Saves the site with the encrypted password. */
async function save({ supabase }: SupabaseContext, sent: Record<string, unknown>): Promise<object> {
  const url = readSiteAddress(textField(sent, 'url'), privateOrigin);
  // WordPress shows an application password in groups, and ignores the spaces.
  const password = textField(sent, 'password').replace(/\s/g, '');
  if (!/^[\x21-\x7e]{8,200}$/.test(password)) {
    throw new Refused('invalid', 'wordpress_password_form', { field: 'password' });
  }
  return dataOf(
    supabase.rpc('save_wordpress', {
      idempotency_key: crypto.randomUUID(),
      url,
      username: textField(sent, 'username').trim(),
      password: await encryptSecret(password, passwordOf(url), backendSecretKey()),
    }),
  );
}

/** Checks the connection, and what its user may do. */
async function test({ supabase, supabaseAdmin }: SupabaseContext): Promise<object> {
  await dataOf(supabase.rpc('read_wordpress'));
  const wordpress = await connection(supabaseAdmin);
  const query = { context: 'edit', _fields: 'name,capabilities' };
  const me = await callWordPress(wordpress, { route: '/wp/v2/users/me', query }, access);
  const { name, capabilities } = me as { name?: unknown; capabilities?: Record<string, unknown> };
  if (capabilities?.edit_posts !== true) throw new Refused('bad_state', 'wordpress_may_not_write');
  return { name: String(name ?? ''), hasUploads: capabilities.upload_files === true };
}

/** Makes a draft of an update, unless there is one. */
async function draft({ supabase, supabaseAdmin }: SupabaseContext, update: string): Promise<object> {
  const claimed: DraftSource | { link: string } = await dataOf(
    supabase.rpc('claim_wordpress_draft', { update_id: update }),
  );
  if ('link' in claimed) return { link: claimed.link, isNew: false, missingPhotos: 0 };
  const finish = (link: string | null) =>
    dataOf(supabaseAdmin.rpc('finish_wordpress_draft', { update_id: update, link }));
  let wordpress: WordPress;
  let made: DraftPost;
  const url = updateUrl(claimed);
  try {
    wordpress = await connection(supabaseAdmin);
    made = await makeDraft(wordpress, claimed, url, access);
  } catch (error) {
    // WordPress may still be saving the draft. The claim ends after two minutes.
    if (!(error instanceof AnswerLost)) await finish(null);
    throw error;
  }
  // From here on each further call opens this draft, so nothing is uploaded twice.
  await finish(made.link);
  const placed = made.isUntouched ? await addPhotos(supabaseAdmin, wordpress, made, claimed, url) : 0;
  return { link: made.link, isNew: true, missingPhotos: claimed.photos.length - placed };
}

/** Adds the photos to a draft. Those that cannot be added remain links. @returns how many are added */
async function addPhotos(
  admin: SupabaseContext['supabaseAdmin'],
  wordpress: WordPress,
  made: DraftPost,
  source: DraftSource,
  url: string,
): Promise<number> {
  const uploaded = new Map<string, UploadedPhoto>();
  const deadline = Date.now() + PHOTOS_TIMEOUT_MS;
  let bytesLeft = MAX_PHOTO_BYTES;
  for (const photo of source.photos.slice(0, MAX_PHOTOS)) {
    if (Date.now() > deadline) break;
    try {
      const bytes = await downloadPhoto(admin, photo, bytesLeft);
      if (!bytes) continue;
      bytesLeft -= bytes.length;
      uploaded.set(photo.id, await uploadToMediaLibrary(wordpress, photo, bytes, access));
    } catch (error) {
      logFailure(error);
      if (error instanceof Refused && REFUSALS_OF_ALL.has(error.reason)) break;
    }
  }
  if (uploaded.size === 0) return 0;
  try {
    await placePhotos(wordpress, made, source, url, uploaded, access);
    return uploaded.size;
  } catch (error) {
    logFailure(error);
    return 0;
  }
}

const logFailure = (error: unknown) =>
  console.error('no photo for a draft of WordPress:', error instanceof Refused ? error.reason : error);

/** Returns the largest rendition of a photo; null if it has more bytes than are left. */
async function downloadPhoto(
  admin: SupabaseContext['supabaseAdmin'],
  photo: DraftPhoto,
  bytesLeft: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const path = `renditions/${photo.id}/${photo.width}`;
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const { data } = await admin.storage.from(photo.bucket).download(path, undefined, { signal });
  return data && data.size <= bytesLeft ? new Uint8Array(await data.arrayBuffer()) : null;
}

/** Returns the site with its password. @throws Refused if there is none, or its password cannot be read */
async function connection(admin: SupabaseContext['supabaseAdmin']): Promise<WordPress> {
  const stored: WordPress | null = await dataOf(admin.rpc('wordpress_connection'));
  if (!stored) throw new Refused('bad_state', 'wordpress_not_connected');
  const password = await decryptSecret(stored.password, passwordOf(stored.url), backendSecretKey());
  if (password === undefined) throw new Refused('bad_state', 'wordpress_password_lost');
  return { ...stored, password };
}

/** The use of an application password, which is bound to the address of its site. */
const passwordOf = (url: string): SecretUse => ({ purpose: 'wordpress password', owner: url });

const updateUrl = ({ slug, number }: DraftSource): string => websiteUrl(`/live/${slug}/${number}`);

export default {
  fetch: withErrorCodes(withSupabase({ auth: ['user', 'publishable'] }, explainErrors(handle))),
};
