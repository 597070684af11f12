import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { LIMITS } from '../domain/limits.ts';
import { Refused } from '../i18n/refusals.ts';
import { adminClient } from './admin-client.server.ts';
import { dataOf } from './result.ts';

/** Buckets of photos: those of coverages, and those sent with tips. */
export type PhotoBucket = 'photos' | 'tips';

/** Timeout for reading a rendition, which has a few hundred kilobytes. */
const READ_TIMEOUT_MS = 5_000;
/** Timeout for reading an upload, which may be a hundred times as large. */
const DOWNLOAD_TIMEOUT_MS = 60_000;

export const renditionPath = (id: string, width: number) => `renditions/${id}/${width}`;

/**
 * Reads a rendition. Checks no permission: the caller must have done so.
 * @throws Refused `not_found` or `unavailable`
 */
export async function readRendition(bucket: PhotoBucket, id: string, width: number): Promise<ArrayBuffer> {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const { data, error } = await adminClient()
    .storage.from(bucket)
    .download(renditionPath(id, width), undefined, { signal });
  if (error) throw isMissing(error) ? new Refused('not_found') : unavailable();
  return data.arrayBuffer();
}

/**
 * Downloads an object to a file.
 * @returns `missing` if there is no such object, `too_large` if it exceeds the limit for photos
 * @throws Refused `unavailable`
 */
export async function downloadObject(
  bucket: PhotoBucket,
  path: string,
  file: string,
): Promise<'fetched' | 'missing' | 'too_large'> {
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const { data, error } = await adminClient()
    .storage.from(bucket)
    .download(path, undefined, { signal })
    .asStream();
  if (error) {
    if (isMissing(error)) return 'missing';
    throw unavailable();
  }
  try {
    const bytes = Readable.fromWeb(data as ReadableStream);
    await pipeline(bytes, limitBytes(LIMITS.photo_bytes), createWriteStream(file), { signal });
    return 'fetched';
  } catch (error) {
    if (error instanceof TooLarge) return 'too_large';
    throw error;
  }
}

/** Stores a rendition. Overwrites what an interrupted attempt left. */
export async function storeRendition(
  bucket: PhotoBucket,
  id: string,
  width: number,
  bytes: Buffer,
): Promise<void> {
  const { error } = await adminClient()
    .storage.from(bucket)
    .upload(renditionPath(id, width), bytes, { contentType: 'image/webp', upsert: true });
  if (error) throw unavailable();
}

/** Maximum number of objects that storage removes in one call. */
const MAX_REMOVED = 1_000;

/** Removes objects. Missing objects are ignored. */
export async function removePhotoObjects(bucket: PhotoBucket, paths: string[]): Promise<void> {
  for (let n = 0; n < paths.length; n += MAX_REMOVED) {
    const { error } = await adminClient()
      .storage.from(bucket)
      .remove(paths.slice(n, n + MAX_REMOVED));
    if (error) throw unavailable();
  }
}

const unavailable = () => new Refused('unavailable');

/** Whether storage has no such object. Hosted projects answer 400 and put the status into the body. */
const isMissing = ({
  status,
  statusCode,
}: {
  status?: number | undefined;
  statusCode?: string | undefined;
}) => status === 404 || statusCode === '404';

class TooLarge extends Error {}

function limitBytes(bytes: number): Transform {
  let remaining = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      remaining -= chunk.length;
      if (remaining < 0) done(new TooLarge());
      else done(null, chunk);
    },
  });
}

/** Maximum number of photos deleted in one run. More ids would make the URL too long. */
const MAX_DELETED = 100;

/** Deletes unused photos, and removes the files of deleted photos and the uploads of processed ones. */
export async function deleteUnusedPhotos(): Promise<void> {
  const remaining = (await dataOf(adminClient().rpc('list_deletable_photos'))).slice(0, MAX_DELETED);
  if (remaining.length === 0) return;
  const ids = [...new Set(remaining.map(({ id }) => id))];
  await dataOf(adminClient().rpc('delete_unused_photos', { ids }));
  // Read after deleting, because an update may have used a photo in the meantime.
  const rows = await dataOf(adminClient().from('photos').select('id, state').in('id', ids));
  const states = new Map(rows.map(({ id, state }) => [id, state]));
  for (const { id, bucket, paths } of remaining) {
    const state = states.get(id);
    const isUpload = (path: string) => path.startsWith('incoming/');
    const isKept = state === 'ready' || state === 'refused';
    if (state !== 'uploading')
      await removePhotoObjects(bucket as PhotoBucket, isKept ? paths.filter(isUpload) : paths);
  }
}
