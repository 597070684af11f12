import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { DetailedError, Upload } from 'tus-js-client';
import { anonClient, type BackendAccess } from '../support/backend.ts';
import { paragraph, type Saved } from '../support/newsroom.ts';
import { insist, isForNow, press, type Tried } from './commands.ts';
import type { Work } from './writers.ts';

/* Senders of tips, photos and sign-ups. */

const PAUSE_MS = 700;
const AGAIN_MS = 100;
/** Small enough that a photo has several chunks, so that kills interrupt uploads. */
const CHUNK_BYTES = 128 * 1024;

/** A visitor who sends tips, sometimes twice. */
export async function tellTips({ hand, chance, isOver }: Work, door: BackendAccess): Promise<void> {
  const client = anonClient(door);
  for (let n = 1; !isOver(); n++) {
    const id = randomUUID();
    const body = { id, body: `The lower gate is open, says person ${n}: ${id}.` };
    const send = () => insist(hand, 'submit-tip', () => tryFunction(client, 'submit-tip', body));
    const answers = await Promise.all(chance.next() < 0.3 ? [send(), send()] : [send()]);
    if (answers.every((answer) => answer !== undefined)) hand.ledger.tips.add(id);
    const receipts = new Set(answers.map((answer) => answer?.receipt));
    if (receipts.size > 1) hand.ledger.differed.push(`submit-tip ${id}`);
    await wait(PAUSE_MS);
  }
}

async function tryFunction(
  client: SupabaseClient,
  name: string,
  body: Record<string, unknown>,
): Promise<Tried<{ receipt: string }>> {
  const { data, error, response } = await client.functions.invoke(name, { body });
  if (!error) return { result: data as { receipt: string } };
  const status = response?.status ?? 0;
  return isForNow(status) ? { later: String(status) } : { refused: `${status} ${await response?.text()}` };
}

/** A photographer who announces, uploads, processes and publishes photos. */
export async function photograph(
  { hand, chance, isOver }: Work,
  door: BackendAccess,
  client: SupabaseClient,
  coverage_id: string,
): Promise<void> {
  const { ledger } = hand;
  const bytes = await noisyPhoto();
  while (!isOver()) {
    const id = randomUUID();
    const about = { alt: 'The river at the quay', caption: 'At noon' };
    const announced = { idempotency_key: randomUUID(), photo_id: id, coverage_id, content: about };
    if (!(await press(hand, client, 'save_photo', announced))) return;
    const upload =
      chance.next() < 0.5 ? uploadInParts(door, client, id, bytes) : uploadPlain(client, id, bytes);
    if (await insist(hand, 'upload', upload)) ledger.photos.add(id);
    // The site would process the photo later anyway.
    await fetch(`${door.url}/api/photos/${id}`, {
      method: 'POST',
      headers: { origin: door.url },
      signal: AbortSignal.timeout(3_000),
    }).catch(() => undefined);
    const headline = `photo ${id}`;
    const body = [paragraph('So it stands.'), { type: 'photo', photo: id }];
    const args = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id: randomUUID(),
      content: { headline, body },
    };
    const saved = await press<Saved>(hand, client, 'publish_update', args);
    if (saved) {
      ledger.versions.push({ id: saved.id, version: saved.version, headline });
      ledger.changes.push(saved);
      ledger.numbers.set(saved.id, saved.number);
    }
    await wait(PAUSE_MS);
  }
}

/** Error messages for a file that an earlier attempt has uploaded. */
const IS_THERE = /already exists|duplicate/i;

function uploadPlain(client: SupabaseClient, id: string, bytes: Buffer) {
  return async (): Promise<Tried<true>> => {
    const { error } = await client.storage
      .from('photos')
      .upload(`incoming/${id}`, bytes, { contentType: 'image/jpeg' });
    if (!error || IS_THERE.test(error.message)) return { result: true };
    const status = 'status' in error ? Number(error.status ?? 0) : 0;
    return isForNow(status) || !status ? { later: error.message } : refusedPhoto(client, id, error.message);
  };
}

/** A refused upload of a processed photo means that an earlier attempt succeeded. */
async function refusedPhoto(client: SupabaseClient, id: string, said: string): Promise<Tried<true>> {
  const { data, error } = await client.from('desk_photos').select('state').eq('id', id).maybeSingle();
  if (error) return { later: error.message };
  return data?.state === 'ready' ? { result: true } : { refused: `${said} (${data?.state})` };
}

function uploadInParts(door: BackendAccess, client: SupabaseClient, id: string, bytes: Buffer) {
  let uploadUrl: string | null = null;
  return async (): Promise<Tried<true>> => {
    const { data } = await client.auth.getSession();
    const ended = Promise.withResolvers<Error | undefined>();
    const upload = new Upload(bytes, {
      endpoint: `${door.url}/storage/v1/upload/resumable`,
      uploadUrl,
      chunkSize: CHUNK_BYTES,
      retryDelays: null,
      headers: { authorization: `Bearer ${data.session?.access_token}`, apikey: door.publishableKey },
      metadata: { bucketName: 'photos', objectName: `incoming/${id}`, contentType: 'image/jpeg' },
      onUploadUrlAvailable: () => {
        uploadUrl = upload.url;
      },
      onAfterResponse: (_request, response) => {
        // Keeps an upload whose state is unknown, as the reporter's page does.
        if (isForNow(response.getStatus()) || response.getStatus() === 423) throw new Error('later');
      },
      onSuccess: () => ended.resolve(undefined),
      onError: (error) => ended.resolve(error),
    });
    upload.start();
    const error = await ended.promise;
    if (!error) return { result: true };
    const answer = error instanceof DetailedError ? error.originalResponse : null;
    const [status, said] = [answer?.getStatus() ?? 0, answer?.getBody() ?? error.message];
    if (IS_THERE.test(said)) return { result: true };
    if (isForNow(status) || status === 423 || status === 409) return { later: said };
    return refusedPhoto(client, id, `${status} ${said}`);
  };
}

/** An image that does not compress. */
function noisyPhoto(): Promise<Buffer> {
  const [width, height] = [800, 600];
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  return sharp({ create: { width, height, channels: 3, background: '#28406a', noise } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** People who sign up. */
export async function signUps({ hand, isOver }: Work, door: BackendAccess): Promise<void> {
  for (let n = 1; !isOver(); n++) {
    const email = `reader-${n}-${randomUUID()}@example.com`;
    const done = await insist(hand, 'sign-up', async (): Promise<Tried<true | null>> => {
      const { error } = await anonClient(door).auth.signUp({ email, password: 'correct horse battery' });
      if (!error) return { result: true };
      // After a lost response the account exists, but its sign-up was not acknowledged.
      if (error.code === 'over_email_send_rate_limit' || error.code === 'user_already_exists')
        return { result: null };
      return isForNow(error.status ?? 0)
        ? { later: error.message }
        : { refused: `${error.status} ${error.message}` };
    });
    if (done) hand.ledger.signUps.add(email);
    await wait(PAUSE_MS * 4);
  }
}

/** A person whose browser refreshes its session repeatedly. A refusal would sign the person out. */
export async function renew({ hand, isOver }: Work, client: SupabaseClient): Promise<void> {
  while (!isOver()) {
    await insist(hand, 'refresh', async (): Promise<Tried<true>> => {
      const { error } = await client.auth.refreshSession();
      if (!error) return { result: true };
      return isForNow(error.status ?? 0)
        ? { later: error.message }
        : { refused: `${error.status} ${error.message}` };
    });
    await wait(AGAIN_MS * 3);
  }
}
