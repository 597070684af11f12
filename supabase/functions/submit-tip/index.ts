import { type SupabaseContext, withSupabase } from '@supabase/server';
import { resolveEnv } from '@supabase/server/core';
import { readObject, sayingWhy, speakingOurCodes } from '../_shared/answer.ts';
import { dataOf } from '../_shared/database.ts';
import { LIMITS } from '../_shared/limits.ts';
import { network } from '../_shared/network.ts';
import { pace } from '../_shared/pace.ts';
import { Refused } from '../_shared/refused.ts';
import { againOf, readAgain } from './again.ts';
import { newDevice, readDevice, tokenOf } from './device.ts';
import { receiptOf } from './receipt.ts';
import { deviceOf, readTip, type Tip } from './tip.ts';

const LARGEST_CALL_BYTES = 32 * 1024;

const HOUR_MS = 3_600_000;
/*
 * What is too much is held, not refused; but no one line may fill the disk. In an hour: what comes from a network with no
 * token of ours, and so how many tokens it is given; what comes with one token; and all that comes with tokens from there.
 */
const first = pace(10 * LIMITS.tips_per_address, HOUR_MS);
const again = pace(5 * LIMITS.tips_per_address, HOUR_MS);
const together = pace(100 * LIMITS.tips_per_address, HOUR_MS);

/** @returns the seconds to wait; 0 where it may come */
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
 * Takes in a tip: `{ id, coverage?, body, name?, contact?, may_name?, photo?: { id, type, size }, device?, website?,
 * took_ms? }`. The same again, or the same words from there a few minutes later, answers the same: `{ receipt, held,
 * upload: { bucket, path, token, again } | null, device }`, where the photo goes and by what the device is known from now
 * on. Where that place is good no more, `{ photo, again, device? }` answers another: `{ upload }`, null when it is there.
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
/** `known`: the device has shown a token of ours. */
type Sender = { address: string; device: string; known: boolean; person: string | null };
/** The tip as it is kept: the one that was here already, where this is the same. */
type Added = { id: string; held: boolean; photo: string | null };

function addTip(backend: Backend, tip: Tip, receipt: string, sender: Sender): Promise<Added> {
  const { id, coverage, body, name, contact, mayName, photo, website, tookMs } = tip;
  const content = {
    ...{ coverage, body, name, contact, website },
    may_name: mayName,
    photo: photo?.id ?? null,
    took_ms: tookMs,
  };
  return dataOf(backend.rpc('add_tip', { tip_id: id, content, receipt, sender }));
}

const BUCKET = 'tips';

/** Where the photo goes, for whoever holds this token; null when it is there already. */
async function uploadOf(backend: Backend, photo: string, secret: string) {
  const path = `incoming/${photo}`;
  const { data, error } = await backend.storage.from(BUCKET).createSignedUploadUrl(path);
  if (data) return { bucket: BUCKET, path, token: data.token, again: await againOf(photo, secret) };
  if (error.status === 409 || error.statusCode === '409') return null;
  console.error('no place for a photo:', error);
  throw new Refused('unavailable', 'photo_upload_unavailable');
}

/** The visitor's, as the gateway saw it. */
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
