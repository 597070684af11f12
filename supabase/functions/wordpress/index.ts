import { type SupabaseContext, withSupabase } from '@supabase/server';
import { denoNetwork } from '../_shared/deno-network.ts';
import { backendSecretKey } from '../_shared/deno-secret-key.ts';
import { createRateLimit } from '../_shared/rate-limit.ts';
import {
  dataOf,
  explainErrors,
  notUnderstood,
  Refused,
  readJsonObject,
  withErrorCodes,
} from '../_shared/refusals.ts';
import { decryptSecret, encryptSecret, type SecretUse } from '../_shared/secrets.ts';
import { addPhoto, type DraftPhoto, type DraftSource, makeDraft } from './draft.ts';
import { AnswerLost, callWordPress, REQUEST_LIMITS, readSiteAddress, type WordPress } from './rest.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** Larger photos are left out. The largest rendition has about 400 KB. */
const MAX_PHOTO_BYTES = 3_000_000;
const PHOTO_TIMEOUT_MS = 10_000;

/** Calls per minute and person. */
const limitCalls = createRateLimit(30, 60_000);

const privateOrigin = Deno.env.get('STOPPRESS_PRIVATE_WORDPRESS');
const access = { ...REQUEST_LIMITS, net: denoNetwork, privateOrigin };

/**
 * The WordPress of the newsroom. Owners send `{ act: 'save', url, username, password }`, answered with `{ url, username
 * }`, and `{ act: 'test' }`, answered with `{ name, hasUploads }`. Editors send `{ act: 'draft', update }`, answered with
 * `{ link, isNew, lacksPhoto }`. The database decides about each permission.
 */
async function handle(request: Request, context: SupabaseContext): Promise<Response> {
  const sent = await readJsonObject(request, MAX_BODY_BYTES);
  const caller = context.userClaims?.id;
  if (!caller) throw new Refused('signed_out');
  const wait = limitCalls(caller);
  if (wait > 0) throw new Refused('rate_limited', null, { retryAfter: wait });
  if (sent.act === 'save') return Response.json(await save(context, sent));
  if (sent.act === 'test') return Response.json(await test(context));
  if (sent.act === 'draft') return Response.json(await draft(context, textOf(sent, 'update')));
  throw notUnderstood('act');
}

/** Saves the site with the encrypted password. */
async function save({ supabase }: SupabaseContext, sent: Record<string, unknown>): Promise<object> {
  const url = readSiteAddress(textOf(sent, 'url'), privateOrigin);
  // WordPress shows an application password in groups, and ignores the spaces.
  const password = textOf(sent, 'password').replace(/\s/g, '');
  if (!/^[\x21-\x7e]{8,200}$/.test(password)) {
    throw new Refused('invalid', 'wordpress_password_form', { field: 'password' });
  }
  return dataOf(
    supabase.rpc('save_wordpress', {
      idempotency_key: crypto.randomUUID(),
      url,
      username: textOf(sent, 'username').trim(),
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
  if ('link' in claimed) return { link: claimed.link, isNew: false, lacksPhoto: false };
  const finish = (link: string | null) =>
    dataOf(supabaseAdmin.rpc('finish_wordpress_draft', { update_id: update, link }));
  let wordpress: WordPress;
  let made: Awaited<ReturnType<typeof makeDraft>>;
  try {
    wordpress = await connection(supabaseAdmin);
    made = await makeDraft(wordpress, claimed, updateUrl(claimed), access);
  } catch (error) {
    // WordPress may still be saving the draft. The claim ends after two minutes.
    if (!(error instanceof AnswerLost)) await finish(null);
    throw error;
  }
  await finish(made.link);
  const lacksPhoto =
    claimed.photo !== null && !(await tryPhoto(supabaseAdmin, wordpress, made, claimed.photo));
  return { link: made.link, isNew: true, lacksPhoto };
}

/** Adds the photo to a draft. The draft remains without it if that fails. */
async function tryPhoto(
  admin: SupabaseContext['supabaseAdmin'],
  wordpress: WordPress,
  made: Awaited<ReturnType<typeof makeDraft>>,
  photo: DraftPhoto,
): Promise<boolean> {
  const signal = AbortSignal.timeout(PHOTO_TIMEOUT_MS);
  try {
    const path = `renditions/${photo.id}/${photo.width}`;
    const { data } = await admin.storage.from(photo.bucket).download(path, undefined, { signal });
    if (!data || data.size > MAX_PHOTO_BYTES) return false;
    await addPhoto(wordpress, made, photo, new Uint8Array(await data.arrayBuffer()), access);
    return true;
  } catch (error) {
    console.error('no photo for a draft of WordPress:', error instanceof Refused ? error.reason : error);
    return false;
  }
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

/** Returns the URL of an update, which comes from SITE_URL and not from the request. */
function updateUrl({ slug, number }: DraftSource): string {
  const site = Deno.env.get('SITE_URL');
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return new URL(`/live/${slug}/${number}`, site).href;
}

function textOf(sent: Record<string, unknown>, field: string): string {
  const value = sent[field];
  if (typeof value !== 'string') throw notUnderstood(field);
  return value;
}

export default {
  fetch: withErrorCodes(withSupabase({ auth: ['user', 'publishable'] }, explainErrors(handle))),
};
