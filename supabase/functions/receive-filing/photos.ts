import type { SupabaseContext } from '@supabase/server';
import { LIMITS } from '../_shared/limits.ts';
import { dataOf, Refused } from '../_shared/refusals.ts';
import type { IncomingPhoto } from './message.ts';

type AdminClient = SupabaseContext['supabaseAdmin'];

/** Why a photo is not filed. */
export type PhotoProblem = 'gone' | 'too_large';

/** The files of a channel. Both functions throw Refused if the channel does not answer or asks to wait. */
export type ChannelFiles = {
  /** Returns why a file cannot be fetched; undefined if it can. */
  problemOf(file: string): Promise<PhotoProblem | undefined>;
  /** Fetches a file of at most `maxBytes`. @returns undefined if it is gone */
  fetch(file: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
};

/** Returns why the photo of a message cannot be filed; undefined if it can. */
export async function photoProblem(
  { file, bytes }: IncomingPhoto,
  files: ChannelFiles,
): Promise<PhotoProblem | undefined> {
  return bytes !== null && bytes > LIMITS.photo_bytes ? 'too_large' : files.problemOf(file);
}

/**
 * Fetches a registered photo from the channel and stores it, after which the website processes it.
 * @returns false if its file is gone: the photo is refused then
 * @throws Refused if the channel or the storage does not answer. The next delivery tries again.
 */
export async function fetchPhoto(
  backend: AdminClient,
  { id, file }: { id: string; file: string },
  files: ChannelFiles,
): Promise<boolean> {
  const bytes = await files.fetch(file, LIMITS.photo_bytes);
  const type = bytes && typeOf(bytes);
  if (!bytes || !type) {
    await dataOf(backend.rpc('refuse_photo', { photo_id: id, code: bytes ? 'unsupported_media' : 'gone' }));
    return false;
  }
  const { error } = await backend.storage
    .from('photos')
    .upload(`incoming/${id}`, bytes, { contentType: type });
  // Another delivery has stored it.
  const isStored = error && 'statusCode' in error && String(error.statusCode) === '409';
  if (error && !isStored) throw new Refused('unavailable', 'photo_upload_unavailable');
  return true;
}

/** Returns the media type of an image by its first bytes. */
function typeOf(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('\x89PNG')) return 'image/png';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp';
  return ['ftypavif', 'ftypavis'].includes(start.slice(4)) ? 'image/avif' : undefined;
}
