import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { DetailedError, Upload } from 'tus-js-client';
import { anonClient, type BackendAccess } from '../support/backend.ts';
import { paragraph, type SavedUpdate } from '../support/newsroom.ts';
import { type Attempt, isTemporary, retryUntilAnswered, runCommand } from './commands.ts';
import type { WriterContext } from './writers.ts';

/* Writers of tips, photos and accounts, which involve functions and files besides rows. */

const PAUSE_MS = 700;
const RETRY_MS = 100;
/** A photo takes several chunks, so that a kill can interrupt its upload. */
const CHUNK_BYTES = 128 * 1024;

/** Sends tips as a visitor, some of them twice. */
export async function sendTips(
  { runner, random, isOver }: WriterContext,
  site: BackendAccess,
): Promise<void> {
  const client = anonClient(site);
  for (let n = 1; !isOver(); n++) {
    const id = randomUUID();
    const body = { id, body: `The lower gate is open, says person ${n}: ${id}.` };
    const send = () =>
      retryUntilAnswered(runner, 'submit-tip', () => tryFunction(client, 'submit-tip', body));
    const answers = await Promise.all(random.next() < 0.3 ? [send(), send()] : [send()]);
    if (answers.every((answer) => answer !== undefined)) runner.ledger.tips.add(id);
    const receipts = new Set(answers.map((answer) => answer?.receipt));
    if (receipts.size > 1) runner.ledger.differingResults.push(`submit-tip ${id}`);
    await wait(PAUSE_MS);
  }
}

async function tryFunction(
  client: SupabaseClient,
  name: string,
  body: Record<string, unknown>,
): Promise<Attempt<{ receipt: string }>> {
  const { data, error, response } = await client.functions.invoke(name, { body });
  if (!error) return { result: data as { receipt: string } };
  const status = response?.status ?? 0;
  return isTemporary(status)
    ? { temporary: String(status) }
    : { refused: `${status} ${await response?.text()}` };
}

/** Uploads photos in parts or at once, requests their processing and publishes them. */
export async function publishPhotos(
  { runner, random, isOver }: WriterContext,
  site: BackendAccess,
  client: SupabaseClient,
  coverage_id: string,
): Promise<void> {
  const { ledger } = runner;
  const bytes = await noisyPhoto();
  while (!isOver()) {
    const id = randomUUID();
    const about = { alt: 'The river at the quay', caption: 'At noon' };
    const args = { idempotency_key: randomUUID(), photo_id: id, coverage_id, content: about };
    if (!(await runCommand(runner, client, 'save_photo', args))) return;
    const upload =
      random.next() < 0.5 ? uploadInParts(site, client, id, bytes) : uploadPlain(client, id, bytes);
    if (await retryUntilAnswered(runner, 'upload', upload)) ledger.photos.add(id);
    // The site also processes the photo later, without this request.
    await fetch(`${site.url}/api/photos/${id}`, {
      method: 'POST',
      headers: { origin: site.url },
      signal: AbortSignal.timeout(3_000),
    }).catch(() => undefined);
    const headline = `photo ${id}`;
    const body = [paragraph('So it stands.'), { type: 'photo', photo: id }];
    const update = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id: randomUUID(),
      content: { headline, body },
    };
    const saved = await runCommand<SavedUpdate>(runner, client, 'publish_update', update);
    if (saved) {
      ledger.versions.push({ id: saved.id, version: saved.version, headline });
      ledger.changes.push(saved);
      ledger.numbers.set(saved.id, saved.number);
    }
    await wait(PAUSE_MS);
  }
}

/** Error of a repeated upload. An earlier attempt succeeded, but its response was lost. */
const ALREADY_EXISTS = /already exists|duplicate/i;

function uploadPlain(client: SupabaseClient, id: string, bytes: Buffer) {
  return async (): Promise<Attempt<true>> => {
    const { error } = await client.storage
      .from('photos')
      .upload(`incoming/${id}`, bytes, { contentType: 'image/jpeg' });
    if (!error || ALREADY_EXISTS.test(error.message)) return { result: true };
    const status = 'status' in error ? Number(error.status ?? 0) : 0;
    return isTemporary(status) || !status
      ? { temporary: error.message }
      : checkRefusedPhoto(client, id, error.message);
  };
}

/** Checks whether an earlier attempt has uploaded the photo: a processed photo rejects further uploads. */
async function checkRefusedPhoto(
  client: SupabaseClient,
  id: string,
  message: string,
): Promise<Attempt<true>> {
  const { data, error } = await client.from('desk_photos').select('state').eq('id', id).maybeSingle();
  if (error) return { temporary: error.message };
  return data?.state === 'ready' ? { result: true } : { refused: `${message} (${data?.state})` };
}

function uploadInParts(site: BackendAccess, client: SupabaseClient, id: string, bytes: Buffer) {
  let uploadUrl: string | null = null;
  return async (): Promise<Attempt<true>> => {
    const { data } = await client.auth.getSession();
    const finished = Promise.withResolvers<Error | undefined>();
    const upload = new Upload(bytes, {
      endpoint: `${site.url}/storage/v1/upload/resumable`,
      uploadUrl,
      chunkSize: CHUNK_BYTES,
      retryDelays: null,
      headers: { authorization: `Bearer ${data.session?.access_token}`, apikey: site.publishableKey },
      metadata: { bucketName: 'photos', objectName: `incoming/${id}`, contentType: 'image/jpeg' },
      onUploadUrlAvailable: () => {
        uploadUrl = upload.url;
      },
      onAfterResponse: (_request, response) => {
        // The reporter's page throws here too, because a temporary error must not restart the upload.
        if (isTemporary(response.getStatus()) || response.getStatus() === 423) throw new Error('later');
      },
      onSuccess: () => finished.resolve(undefined),
      onError: (error) => finished.resolve(error),
    });
    upload.start();
    const error = await finished.promise;
    if (!error) return { result: true };
    const answer = error instanceof DetailedError ? error.originalResponse : null;
    const [status, message] = [answer?.getStatus() ?? 0, answer?.getBody() ?? error.message];
    if (ALREADY_EXISTS.test(message)) return { result: true };
    if (isTemporary(status) || status === 423 || status === 409) return { temporary: message };
    return checkRefusedPhoto(client, id, `${status} ${message}`);
  };
}

/** Creates a photo that compresses badly. */
function noisyPhoto(): Promise<Buffer> {
  const [width, height] = [800, 600];
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  return sharp({ create: { width, height, channels: 3, background: '#28406a', noise } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** Creates accounts, one after the other. */
export async function createAccounts({ runner, isOver }: WriterContext, site: BackendAccess): Promise<void> {
  for (let n = 1; !isOver(); n++) {
    const email = `reader-${n}-${randomUUID()}@example.com`;
    const done = await retryUntilAnswered(runner, 'sign-up', async (): Promise<Attempt<true | null>> => {
      const { error } = await anonClient(site).auth.signUp({ email, password: 'correct horse battery' });
      if (!error) return { result: true };
      // An earlier attempt created the account, but its response was lost. The sign-up was not acknowledged.
      if (error.code === 'over_email_send_rate_limit' || error.code === 'user_already_exists')
        return { result: null };
      return isTemporary(error.status ?? 0)
        ? { temporary: error.message }
        : { refused: `${error.status} ${error.message}` };
    });
    if (done) runner.ledger.signUps.add(email);
    await wait(PAUSE_MS * 4);
  }
}

/** Renews a session repeatedly. A refusal would sign its person out. */
export async function renewSession({ runner, isOver }: WriterContext, client: SupabaseClient): Promise<void> {
  while (!isOver()) {
    await retryUntilAnswered(runner, 'refresh', async (): Promise<Attempt<true>> => {
      const { error } = await client.auth.refreshSession();
      if (!error) return { result: true };
      return isTemporary(error.status ?? 0)
        ? { temporary: error.message }
        : { refused: `${error.status} ${error.message}` };
    });
    await wait(RETRY_MS * 3);
  }
}
