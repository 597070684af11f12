import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { type PhotoTexts, photoContent } from '../../lib/data/photo-form.ts';
import { readPhotos } from '../../lib/data/photo-library.ts';
import type { DeskPhoto, PhotoState } from '../../lib/domain/photos.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { type DeskBackend, loadUploader, processUpload, uploadTarget } from '../desk/backend.ts';
import { withFreeLock } from '../outbox/sender.ts';
import type { UploadFile, UploadHandlers } from '../outbox/upload.ts';
import { type ShrunkPhoto, shrink } from './resize.ts';

/** State of a photo at the newsroom, and why it was refused. */
export type PhotoResult = { state: PhotoState; refusal_code: string | null };

/** Calls for photos, with the person's permissions. */
export type PhotoApi = {
  /** @throws Refused `too_large` or `unsupported_media` */
  shrink(file: Blob): Promise<ShrunkPhoto>;
  /**
   * Registers a photo and saves its text; without `words` the stored text stays.
   * @throws Refused
   */
  save(photo: string, coverage: string, words?: PhotoTexts): Promise<PhotoResult>;
  /**
   * Reports that a photo will not arrive.
   * @throws Refused
   */
  cancel(photo: string): Promise<PhotoResult>;
  /**
   * Uploads a photo, resuming an earlier attempt.
   * @throws Refused
   */
  upload(file: UploadFile, handlers: UploadHandlers, signal: AbortSignal): Promise<void>;
  /**
   * Has an uploaded photo processed. The state is `uploading` while that is not finished.
   * @throws Refused
   */
  process(photo: string): Promise<PhotoResult>;
  /**
   * Reads photos; missing ones are left out.
   * @throws Refused
   */
  readPhotos(photos: string[]): Promise<DeskPhoto[]>;
  /** Runs an operation on a photo unless another tab is working on it; then returns `elsewhere`. */
  withLock<T>(photo: string, operation: () => Promise<T>): Promise<T | 'elsewhere'>;
};

export function photoApi(backend: DeskBackend, settings: BrowserBackend): PhotoApi {
  /** Requires a session, without which the photo waits. */
  async function withSession<T>(operation: () => Promise<T>): Promise<T> {
    try {
      await backend.tokens.get();
    } catch (error) {
      // A session of another person counts as signed out.
      const isOtherPersons = error instanceof Refused && error.refusal.code === 'forbidden';
      throw isOtherPersons ? new Refused('signed_out') : error;
    }
    return operation();
  }

  return {
    shrink,
    save: (photo_id, coverage_id, words) =>
      withSession(async () => {
        const content = words ? photoContent(words) : {};
        return (await backend.execute('save_photo', { photo_id, coverage_id, content })) as PhotoResult;
      }),
    cancel: (photo_id) =>
      withSession(async () => (await backend.execute('cancel_photo', { photo_id })) as PhotoResult),
    upload: (file, handlers, signal) =>
      withSession(async () => {
        const { upload } = await loadUploader();
        return upload(file, uploadTarget(settings, backend.tokens, 'photos'), handlers, signal);
      }),
    process: (photo) => processUpload(`/api/photos/${photo}`),
    readPhotos: (photos) => withSession(() => backend.read((client) => readPhotos(client, photos))),
    withLock: (photo, operation) => withFreeLock(`photo.${photo}`, operation),
  };
}
