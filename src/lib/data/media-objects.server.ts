import {
  hasFormat,
  MAX_MEDIA_BYTES,
  MEDIA_BUCKET,
  MEDIA_HEAD_BYTES,
  type MediaFileState,
  type MediaFormat,
} from '../domain/media-files.ts';
import { Refused } from '../i18n/refusals.ts';
import { adminClient, fetchObject } from './admin-client.server.ts';
import { READ_TIMEOUT_MS } from './fetch-timeout.ts';
import { type BackendClient, dataOf } from './result.ts';

/** A file as the database describes it. `published`: a published update shows it. */
type StoredMediaFile = MediaFileState & { format: MediaFormat; published: boolean };

/**
 * Reads a file that the caller may see; null for all others.
 * @throws Refused
 */
export async function readMediaFile(
  backend: BackendClient,
  file_id: string,
): Promise<StoredMediaFile | null> {
  return (await dataOf(backend.rpc('read_media_file', { file_id }))) as StoredMediaFile | null;
}

/** Bytes of a file, both ends included. */
export type ByteRange = { start: number; end: number };

/**
 * Opens the bytes of a file, or a range of them. Checks no permission: the caller must have done so.
 * @throws Refused `not_found` or `unavailable`
 */
export async function openMediaObject(id: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
  const response = await fetchObject(MEDIA_BUCKET, id, range).catch(() => undefined);
  // A whole file instead of a range would be shown at the wrong time.
  if (response?.body && response.status === (range ? 206 : 200)) return response.body;
  await response?.body?.cancel();
  throw new Refused(response && isMissing(response) ? 'not_found' : 'unavailable');
}

/** Hosted projects answer 400 for missing objects. */
const isMissing = ({ status }: Response) => status === 404 || status === 400;

/**
 * Checks an uploaded file by its first bytes, and records the result. A refused file is deleted. Concurrent checks have
 * the same result.
 * @returns null if there is no such file; state `uploading` if its object is not in storage yet
 * @throws Refused
 */
export async function checkMediaFile(id: string): Promise<MediaFileState | null> {
  const file = await readMediaFile(adminClient(), id);
  if (file?.state !== 'uploading') return file;
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const response = await fetchObject(MEDIA_BUCKET, id, { start: 0, end: MEDIA_HEAD_BYTES - 1 }, signal).catch(
    () => null,
  );
  if (!response) throw new Refused('unavailable');
  const head = new Uint8Array(await response.arrayBuffer());
  if (isMissing(response)) return file;
  // An empty object has no range.
  if (!response.ok && response.status !== 416) throw new Refused('unavailable');
  const bytes = response.ok ? sizeIn(response) : 0;
  const code = bytes > MAX_MEDIA_BYTES ? 'too_large' : 'unsupported_media';
  const isAccepted = bytes > 0 && bytes <= MAX_MEDIA_BYTES && hasFormat(file.format, head);
  const result = await dataOf(
    adminClient().rpc('record_media_check', {
      file_id: id,
      bytes,
      ...(!isAccepted && { refusal_code: code }),
    }),
  );
  const checked = result as MediaFileState;
  if (checked.state === 'refused') await removeMediaObjects([id]);
  return checked;
}

/** Returns the size of the whole object. */
const sizeIn = ({ headers }: Response): number =>
  Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length'));

/** Removes objects. Missing objects are ignored. */
async function removeMediaObjects(names: string[]): Promise<void> {
  const { error } = await adminClient().storage.from(MEDIA_BUCKET).remove(names);
  if (error) throw new Refused('unavailable');
}

/** Deletes unused files, and the objects of deleted and refused ones. */
export async function deleteUnusedMediaFiles(): Promise<void> {
  const names = await dataOf(adminClient().rpc('delete_unused_media_files'));
  if (names.length > 0) await removeMediaObjects(names);
}
