import { type SupabaseContext, withSupabase } from '@supabase/server';
import { resolveEnv } from '@supabase/server/core';
import { LIMITS } from '../_shared/limits.ts';
import { createRateLimit, requestNetwork } from '../_shared/rate-limit.ts';
import { dataOf, explainErrors, Refused, readJsonObject, withErrorCodes } from '../_shared/refusals.ts';
import { readTipRequest, submittedDevice, type Tip } from './tip.ts';
import {
  deviceIdOf,
  deviceTokenOf,
  readDeviceToken,
  readUploadToken,
  receiptOf,
  uploadTokenOf,
} from './tokens.ts';

const MAX_BODY_BYTES = 32 * 1024;

const HOUR_MS = 3_600_000;
/*
 * Rate limits per hour. The database holds tips above its own limits. These limits keep one client network from filling
 * the disk:
 * - limitNetwork: tips without a device token, per network. It also limits the number of new device tokens.
 * - limitDevice: tips per device.
 * - limitDevices: tips with a device token, per network.
 */
const limitNetwork = createRateLimit(10 * LIMITS.tips_per_address, HOUR_MS);
const limitDevice = createRateLimit(5 * LIMITS.tips_per_address, HOUR_MS);
const limitDevices = createRateLimit(100 * LIMITS.tips_per_address, HOUR_MS);

/** Counts a tip. @returns the seconds to wait; 0 if the tip is accepted */
const waitOf = (device: string | null, address: string) =>
  device === null ? limitNetwork(address) : limitDevice(device) || limitDevices(address);

/** Counts the request of a sender. @throws Refused `rate_limited` */
async function checkRateLimit(request: Request, device: string | null) {
  const secret = secretKey();
  const address = requestNetwork(request);
  const knownDevice = await readDeviceToken(device, secret);
  const wait = waitOf(knownDevice, address);
  if (wait > 0) throw new Refused('rate_limited', 'too_many_tips', { retryAfter: wait });
  return { secret, address, knownDevice };
}

/**
 * Accepts a tip: `{ id, coverage?, body, name?, contact?, may_be_named?, photo?: { id, type, size }, device?, website?,
 * took_ms? }`. A repeated tip, or one with the same text a few minutes later, gets the same response: `{ receipt,
 * held, upload: { bucket, path, token, again } | null, device }`. When the upload target has expired, `{ photo,
 * again, device? }` requests a new one: `{ upload }`, null if the photo was uploaded.
 */
async function handle(request: Request, { supabaseAdmin, userClaims }: SupabaseContext): Promise<Response> {
  const sent = await readJsonObject(request, MAX_BODY_BYTES);
  if ('again' in sent) {
    const { secret } = await checkRateLimit(request, submittedDevice(sent));
    return Response.json({
      upload: await uploadOf(supabaseAdmin, await readUploadToken(sent, secret), secret),
    });
  }
  const tip = readTipRequest(sent);
  const { secret, address, knownDevice } = await checkRateLimit(request, tip.device);
  const { id, held, photo } = await addTip(supabaseAdmin, tip, await receiptOf(tip.id, secret), {
    address,
    device: knownDevice ?? (await deviceIdOf(tip.id, secret)),
    known: knownDevice !== null,
    person: userClaims?.id ?? null,
  });
  return Response.json({
    receipt: await receiptOf(id, secret),
    held,
    upload: photo && (await uploadOf(supabaseAdmin, photo, secret)),
    device: await deviceTokenOf(knownDevice ?? (await deviceIdOf(id, secret)), secret),
  });
}

type AdminClient = SupabaseContext['supabaseAdmin'];
/** `known`: the device has sent a valid token. */
type Sender = { address: string; device: string; known: boolean; person: string | null };
/** The stored tip: the earlier one, if this is a repetition. */
type StoredTip = { id: string; held: boolean; photo: string | null };

function addTip(backend: AdminClient, tip: Tip, receipt: string, sender: Sender): Promise<StoredTip> {
  const { id, coverage, body, name, contact, mayName, photo, website, tookMs } = tip;
  const content = {
    ...{ coverage, body, name, contact, website },
    may_be_named: mayName,
    photo: photo?.id ?? null,
    took_ms: tookMs,
  };
  return dataOf(backend.rpc('add_tip', { tip_id: id, content, receipt, sender }));
}

const TIPS_BUCKET = 'tips';

/** Returns the upload target of a photo; null if it was already uploaded. */
async function uploadOf(backend: AdminClient, photo: string, secret: string) {
  const path = `incoming/${photo}`;
  const { data, error } = await backend.storage.from(TIPS_BUCKET).createSignedUploadUrl(path);
  if (data)
    return { bucket: TIPS_BUCKET, path, token: data.token, again: await uploadTokenOf(photo, secret) };
  if (error.status === 409 || error.statusCode === '409') return null;
  console.error('no place for a photo:', error);
  throw new Refused('unavailable', 'photo_upload_unavailable');
}

function secretKey(): string {
  const secret = resolveEnv().data?.secretKeys.default;
  if (!secret) throw new Error('SUPABASE_SECRET_KEYS names no default key.');
  return secret;
}

export default {
  fetch: withErrorCodes(withSupabase({ auth: ['user', 'publishable'] }, explainErrors(handle))),
};
