import { type SupabaseContext, withSupabase } from '@supabase/server';
import { resolveEnv } from '@supabase/server/core';
import { readObject, sayingWhy, speakingOurCodes, Refused } from '../_shared/refusals.ts';
import { dataOf } from '../_shared/database.ts';
import { LIMITS } from '../_shared/limits.ts';
import { network, pace } from '../_shared/rate-limit.ts';
import { againOf, readAgain, newDevice, readDevice, tokenOf, receiptOf } from './tokens.ts';
import { deviceOf, readTip, type Tip } from './tip.ts';

const LARGEST_CALL_BYTES = 32 * 1024;

const HOUR_MS = 3_600_000;
/*
 * Rate limits per hour. The database holds tips above its own limits; these limits keep one client network from
 * filling the disk: tips without a device token, and with it new tokens, per network; tips per device; tips with
 * tokens per network.
 */
const first = pace(10 * LIMITS.tips_per_address, HOUR_MS);
const again = pace(5 * LIMITS.tips_per_address, HOUR_MS);
const together = pace(100 * LIMITS.tips_per_address, HOUR_MS);

/** @returns the seconds to wait; 0 if the tip is accepted */
const waitOf = (device: string | null, address: string) =>
  device === null ? first(address) : again(device) || together(address);

/** @throws Refused `rate_limited` */
async function letIn(request: Request, device: string | null) {
  const secret = secretKey();
  const address = network(addressOf(request));
  const known = await readDevice(device, secret);
  const wait = waitOf(known, address);
  if (wait > 0) throw new Refused('rate_limited', 'too_many_tips', { retryAfter: wait });
  return { secret, address, known };
}

/**
 * Accepts a tip: `{ id, coverage?, body, name?, contact?, may_be_named?, photo?: { id, type, size }, device?, website?,
 * took_ms? }`. A repeated tip, or one with the same text a few minutes later, gets the same response: `{ receipt,
 * held, upload: { bucket, path, token, again } | null, device }`. When the upload target has expired, `{ photo,
 * again, device? }` requests a new one: `{ upload }`, null if the photo was uploaded.
 */
async function handle(request: Request, { supabaseAdmin, userClaims }: SupabaseContext): Promise<Response> {
  const sent = await readObject(request, LARGEST_CALL_BYTES);
  if ('again' in sent) {
    const { secret } = await letIn(request, deviceOf(sent));
    return Response.json({ upload: await uploadOf(supabaseAdmin, await readAgain(sent, secret), secret) });
  }
  const tip = readTip(sent);
  const { secret, address, known } = await letIn(request, tip.device);
  const { id, held, photo } = await addTip(supabaseAdmin, tip, await receiptOf(tip.id, secret), {
    address,
    device: known ?? (await newDevice(tip.id, secret)),
    known: known !== null,
    person: userClaims?.id ?? null,
  });
  return Response.json({
    receipt: await receiptOf(id, secret),
    held,
    upload: photo && (await uploadOf(supabaseAdmin, photo, secret)),
    device: await tokenOf(known ?? (await newDevice(id, secret)), secret),
  });
}

type Backend = SupabaseContext['supabaseAdmin'];
/** `known`: the device has sent a valid token. */
type Sender = { address: string; device: string; known: boolean; person: string | null };
/** The stored tip: the earlier one, if this is a repetition. */
type Added = { id: string; held: boolean; photo: string | null };

function addTip(backend: Backend, tip: Tip, receipt: string, sender: Sender): Promise<Added> {
  const { id, coverage, body, name, contact, mayName, photo, website, tookMs } = tip;
  const content = {
    ...{ coverage, body, name, contact, website },
    may_be_named: mayName,
    photo: photo?.id ?? null,
    took_ms: tookMs,
  };
  return dataOf(backend.rpc('add_tip', { tip_id: id, content, receipt, sender }));
}

const BUCKET = 'tips';

/** Returns the upload target of a photo; null if it was already uploaded. */
async function uploadOf(backend: Backend, photo: string, secret: string) {
  const path = `incoming/${photo}`;
  const { data, error } = await backend.storage.from(BUCKET).createSignedUploadUrl(path);
  if (data) return { bucket: BUCKET, path, token: data.token, again: await againOf(photo, secret) };
  if (error.status === 409 || error.statusCode === '409') return null;
  console.error('no place for a photo:', error);
  throw new Refused('unavailable', 'photo_upload_unavailable');
}

/** Returns the visitor's address as the gateway saw it. */
function addressOf(request: Request): string {
  return request.headers.get('x-forwarded-for')?.split(',')[0]?.trim() || 'unknown';
}

function secretKey(): string {
  const secret = resolveEnv().data?.secretKeys.default;
  if (!secret) throw new Error('SUPABASE_SECRET_KEYS names no default key.');
  return secret;
}

export default {
  fetch: speakingOurCodes(withSupabase({ auth: ['user', 'publishable'] }, sayingWhy(handle))),
};
