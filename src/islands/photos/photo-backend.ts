import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { fetchInTime } from '../../lib/data/fetch-timeout.ts';
import { type PhotoWords, photoContent } from '../../lib/data/photo-form.ts';
import { readPhotos } from '../../lib/data/photos.ts';
import type { DeskPhoto, PhotoState } from '../../lib/domain/photos.ts';
import { Refused, refusal } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from '../desk/backend.ts';
import { type Shrunk, shrink } from './resize.ts';
import type { UploadEars, Uploading } from './upload.ts';

/** How a photo stands with the newsroom, and why it was refused. */
export type PhotoAnswer = { state: PhotoState; refusal: string | null };

/** What is done with photos outside the page. Everything is done under the person's own rights. */
export type PhotoLine = {
  /** @throws Refused `too_large` or `unsupported_media` */
  shrink(file: Blob): Promise<Shrunk>;
  /** Tells the desk of a photo, and its words if there are any; without them those that are there stay. @throws Refused */
  save(photo: string, coverage: string, words?: PhotoWords): Promise<PhotoAnswer>;
  /** Tells the desk that a photo will never come. @throws Refused */
  giveUp(photo: string): Promise<PhotoAnswer>;
  /** Uploads what is to become a photo, on from where it is. @throws Refused */
  upload(file: Uploading, ears: UploadEars, signal: AbortSignal): Promise<void>;
  /** Has what was uploaded made into a photo; `arriving` when that is still to come. @throws Refused */
  develop(photo: string): Promise<PhotoAnswer>;
  /** Photos as they are now; those that are not there are left out. @throws Refused */
  look(photos: string[]): Promise<DeskPhoto[]>;
  /** Does something with a photo unless another tab is at it; then `elsewhere`. */
  alone<T>(photo: string, work: () => Promise<T>): Promise<T | 'elsewhere'>;
};

export function photoLine(backend: DeskBackend, settings: BrowserBackend): PhotoLine {
  /** Without a session nothing is known of the photo's fate: it waits. */
  async function signedIn<T>(work: () => Promise<T>): Promise<T> {
    try {
      await backend.tokens.get();
    } catch (error) {
      // Somebody else's session is none.
      const isOthers = error instanceof Refused && error.refusal.code === 'forbidden';
      throw isOthers ? new Refused(refusal('signed_out')) : error;
    }
    return work();
  }

  return {
    shrink,
    save: (photo_id, coverage_id, words) =>
      signedIn(async () => {
        const content = words ? photoContent(words) : {};
        return (await backend.press('save_photo', { photo_id, coverage_id, content })) as PhotoAnswer;
      }),
    giveUp: (photo_id) =>
      signedIn(async () => (await backend.press('give_up_photo', { photo_id })) as PhotoAnswer),
    upload: (file, ears, signal) =>
      signedIn(async () => {
        const { upload } = await uploader();
        const url = new URL(settings.publicUrl, window.location.origin).href.replace(/\/$/, '');
        const place = {
          endpoint: `${url}/storage/v1/upload/resumable`,
          bucket: 'photos',
          headers: async () => ({
            apikey: settings.publishableKey,
            Authorization: `Bearer ${await backend.tokens.get()}`,
          }),
          forget: backend.tokens.forget,
        };
        return upload(file, place, ears, signal);
      }),
    async develop(photo) {
      const answer = await fetchInTime(`/api/photos/${photo}`, { method: 'POST' }).catch(() => null);
      if (answer?.status === 404) throw new Refused(refusal('not_found'));
      if (!answer?.ok) throw new Refused(refusal('unavailable'));
      return (await answer.json()) as PhotoAnswer;
    },
    look: (photos) => signedIn(() => backend.read((client) => readPhotos(client, photos))),
    alone: (photo, work) =>
      navigator.locks.request(`stoppress.photo.${photo}`, { ifAvailable: true }, (lock) =>
        lock ? work() : ('elsewhere' as const),
      ),
  };
}

/** Most who come to a desk send no photo: what this takes is fetched for the first, or later where the line is bad. */
async function uploader(): Promise<typeof import('./upload.ts')> {
  try {
    return await import('./upload.ts');
  } catch {
    throw new Refused(refusal('unavailable'));
  }
}
