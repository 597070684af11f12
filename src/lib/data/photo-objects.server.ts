import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { LIMITS } from '../domain/limits.ts';
import { Refused, refusal } from '../i18n/refusals.ts';
import { admin } from './admin-client.server.ts';
import { dataOf } from './result.ts';

/** Buckets of photos: those of coverages, and those sent with tips. */
export type Bucket = 'photos' | 'tips';

/** Timeout for reading a rendition, which has a few hundred kilobytes. */
const LONGEST_READ_MS = 5_000;
/** Timeout for reading an upload, which may be a hundred times as large. */
const LONGEST_FETCH_MS = 60_000;

export const printPath = (id: string, width: number) => `prints/${id}/${width}`;

/**
 * Reads a rendition. Checks no permission: the caller must have done so.
 * @throws Refused `unavailable`
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
 * Downloads an object to a file.
 * @returns `missing` if there is no such object, `too_large` if it exceeds the limit for photos
 * @throws Refused `unavailable`
 */
export async function fetchObject(
  bucket: Bucket,
  path: string,
  file: string,
): Promise<'fetched' | 'missing' | 'too_large'> {
  const signal = AbortSignal.timeout(LONGEST_FETCH_MS);
  const { data, error } = await admin().storage.from(bucket).download(path, undefined, { signal }).asStream();
  // Hosted projects answer 400 and put the status into the body.
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

/** Stores a rendition. Overwrites what an interrupted attempt left. */
export async function keepPrint(bucket: Bucket, id: string, width: number, bytes: Buffer): Promise<void> {
  const { error } = await admin()
    .storage.from(bucket)
    .upload(printPath(id, width), bytes, { contentType: 'image/webp', upsert: true });
  if (error) throw unavailable();
}

/** Maximum number of objects that storage removes in one call. */
const AT_ONCE = 1_000;

/** Removes objects. Missing objects are ignored. */
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

/** Maximum number of photos deleted in one run. More ids would make the URL too long. */
const FORGOTTEN_AT_ONCE = 100;

/** Deletes unused photos, and removes the files of deleted photos and the uploads of processed ones. */
export async function forgetPhotos(): Promise<void> {
  const left = (await dataOf(admin().rpc('photos_to_forget'))).slice(0, FORGOTTEN_AT_ONCE);
  if (left.length === 0) return;
  const ids = [...new Set(left.map(({ id }) => id))];
  await dataOf(admin().rpc('forget_photos', { ids }));
  // Read after deleting, because an update may have used a photo in the meantime.
  const kept = await dataOf(admin().from('photos').select('id, state').in('id', ids));
  const states = new Map(kept.map(({ id, state }) => [id, state]));
  for (const { id, bucket, paths } of left) {
    const state = states.get(id);
    const isSent = (path: string) => path.startsWith('incoming/');
    const isKept = state === 'ready' || state === 'refused';
    if (state !== 'arriving') await removeObjects(bucket as Bucket, isKept ? paths.filter(isSent) : paths);
  }
}
