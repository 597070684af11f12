import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { LIMITS } from '../domain/limits.ts';
import { Refused, refusal } from '../i18n/refusals.ts';
import { admin } from './admin-client.server.ts';
import { dataOf } from './result.ts';

/** Where photos are kept: those of coverages, and those that came with tips. */
export type Bucket = 'photos' | 'tips';

/** A print is some hundred KB. After this long nobody will answer. */
const LONGEST_READ_MS = 5_000;
/** What was sent may be a hundred times that. */
const LONGEST_FETCH_MS = 60_000;

export const printPath = (id: string, width: number) => `prints/${id}/${width}`;

/**
 * A print, for whoever has learned that it may be seen: here nobody is asked.
 * @throws Refused when it cannot be had
 */
export async function readPrint(bucket: Bucket, id: string, width: number): Promise<ArrayBuffer> {
  const signal = AbortSignal.timeout(LONGEST_READ_MS);
  const { data, error } = await admin()
    .storage.from(bucket)
    .download(printPath(id, width), undefined, { signal });
  if (error) throw unavailable();
  return data.arrayBuffer();
}

/**
 * Fetches an object into a file.
 * @returns what is in its way: there is none, or it is larger than a photo may be
 * @throws Refused when it cannot be had now
 */
export async function fetchObject(
  bucket: Bucket,
  path: string,
  file: string,
): Promise<'fetched' | 'missing' | 'too_large'> {
  const signal = AbortSignal.timeout(LONGEST_FETCH_MS);
  const { data, error } = await admin().storage.from(bucket).download(path, undefined, { signal }).asStream();
  // A hosted project answers 400, and says what it means in the body.
  if (error) {
    if (error.status === 404 || error.statusCode === '404') return 'missing';
    throw unavailable();
  }
  try {
    const bytes = Readable.fromWeb(data as ReadableStream);
    await pipeline(bytes, atMost(LIMITS.photo_bytes), createWriteStream(file), { signal });
    return 'fetched';
  } catch (error) {
    if (error instanceof TooLarge) return 'too_large';
    throw error;
  }
}

/** Puts a print where it belongs, over what an attempt that broke off may have left there. */
export async function keepPrint(bucket: Bucket, id: string, width: number, bytes: Buffer): Promise<void> {
  const { error } = await admin()
    .storage.from(bucket)
    .upload(printPath(id, width), bytes, { contentType: 'image/webp', upsert: true });
  if (error) throw unavailable();
}

/** Most objects that storage removes at one call. */
const AT_ONCE = 1_000;

/** Removes objects; where there is none any more, that is as good. */
export async function removeObjects(bucket: Bucket, paths: string[]): Promise<void> {
  for (let n = 0; n < paths.length; n += AT_ONCE) {
    const { error } = await admin()
      .storage.from(bucket)
      .remove(paths.slice(n, n + AT_ONCE));
    if (error) throw unavailable();
  }
}

const unavailable = () => new Refused(refusal('unavailable'));

class TooLarge extends Error {}

function atMost(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new TooLarge());
      else done(null, chunk);
    },
  });
}

/** What remains is for the next time: the names of more would make too long an address. */
const FORGOTTEN_AT_ONCE = 100;

/**
 * Forgets photos that nobody would miss, and removes from storage what is left of them, of those that were forgotten
 * before or removed, and of what was sent of photos that have been looked at.
 */
export async function forgetPhotos(): Promise<void> {
  const left = (await dataOf(admin().rpc('photos_to_forget'))).slice(0, FORGOTTEN_AT_ONCE);
  if (left.length === 0) return;
  const ids = [...new Set(left.map(({ id }) => id))];
  await dataOf(admin().rpc('forget_photos', { ids }));
  // Asked afterwards: an update may just have taken one of them.
  const kept = await dataOf(admin().from('photos').select('id, state').in('id', ids));
  const states = new Map(kept.map(({ id, state }) => [id, state]));
  for (const { id, bucket, paths } of left) {
    const state = states.get(id);
    const isSent = (path: string) => path.startsWith('incoming/');
    const isKept = state === 'ready' || state === 'refused';
    if (state !== 'arriving') await removeObjects(bucket as Bucket, isKept ? paths.filter(isSent) : paths);
  }
}
