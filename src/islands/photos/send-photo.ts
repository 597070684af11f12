import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { type PhotoTexts, photoContent } from '../../lib/data/photo-form.ts';
import { readPhotos } from '../../lib/data/photo-library.ts';
import { type DeskPhoto, deskPhotoPath, PHOTO_WIDTHS, type PhotoState } from '../../lib/domain/photos.ts';
import { type Refusal, Refused } from '../../lib/i18n/refusals.ts';
import { type DeskBackend, loadUploader, processUpload, uploadTarget } from '../desk/backend.ts';
import { refusalOf } from '../desk/task.ts';
import { failedAttempt, isTemporary } from '../outbox/retry.ts';
import { type AttemptResult, withFreeLock } from '../outbox/sender.ts';
import type { UploadFile, UploadHandlers } from '../outbox/upload.ts';
import type { StoredPhoto } from './photo-store.ts';
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

/** Status of a photo on this page. */
export type PhotoStatus = {
  id: string;
  /** Id of the update that it was chosen for on this device; null otherwise. */
  update: string | null;
  /** Name of the file that was chosen on this device. */
  name: string | null;
  /** `elsewhere`: another device or tab uploads it. `missing`: it does not exist. */
  step: 'shrinking' | 'waiting' | 'sending' | 'checking' | 'ready' | 'refused' | 'elsewhere' | 'missing';
  /** Uploaded percentage. */
  sent: number;
  /** Why the upload is paused. */
  pauseReason: 'line' | 'session' | null;
  /** Error code of a refused photo. */
  refusal: string | null;
  /** URL of a picture to show. */
  picture: string | null;
  width: number | null;
  height: number | null;
};

/** Status of a newly chosen photo. */
export const NEW_PHOTO: Omit<PhotoStatus, 'id' | 'update'> = {
  name: null,
  step: 'shrinking',
  sent: 0,
  pauseReason: null,
  refusal: null,
  picture: null,
  width: null,
  height: null,
};

/** Status of a photo that this device does not upload. */
export function photoStatusOf({ state, refusal_code, width, height, id }: DeskPhoto): Partial<PhotoStatus> {
  if (state === 'uploading') return { step: 'elsewhere' };
  if (state === 'removed') return { step: 'refused', refusal: 'removed' };
  if (state === 'refused') return { step: 'refused', refusal: refusal_code };
  return { step: 'ready', sent: 100, width, height, picture: pictureOf(id) };
}

/** URL of the desk's picture of a ready photo. */
export const pictureOf = (id: string) => deskPhotoPath(id, PHOTO_WIDTHS[0]);

type UploadOptions = {
  api: PhotoApi;
  /** Whether another tab has uploaded or removed the photo. */
  isRemoved(): Promise<boolean>;
  /**
   * Registers the photo at the desk.
   * @throws Refused
   */
  register(): Promise<PhotoResult>;
  /** Stores the progress. */
  change(part: Partial<StoredPhoto>): void;
  show(part: Partial<PhotoStatus>): void;
};

/** Checks that find an uploaded photo unprocessed, before it counts as lost and is uploaded again. */
const MAX_UNPROCESSED_CHECKS = 5;

/**
 * Registers, uploads and processes a photo, resuming an earlier attempt. After a lost answer it reads the photo's state
 * instead of repeating a step.
 * @returns the final result, or how far this attempt came
 */
export async function uploadPhoto(
  photo: StoredPhoto,
  signal: AbortSignal,
  { api, isRemoved, register, change, show }: UploadOptions,
): Promise<PhotoResult | AttemptResult> {
  const { id } = photo;
  let hasProgressed = false;
  const failed = (refusal: Refusal | null = null) => failedAttempt(refusal, hasProgressed);

  async function run(): Promise<PhotoResult | AttemptResult> {
    if (await isRemoved()) return finalResult((await api.readPhotos([id]))[0]) ?? 'done';
    const result = photo.isRegistered ? undefined : finalResult(await register());
    return result ?? (photo.isSent ? undefined : await sendFile()) ?? process();
  }

  /** @returns undefined when it was uploaded */
  async function sendFile(): Promise<PhotoResult | AttemptResult | undefined> {
    // The photo was removed, or text goes first, while it was being registered.
    if (signal.aborted) return failed();
    show({ step: 'sending', pauseReason: null });
    let percent = -1;
    const handlers = {
      onStarted: (uploadUrl: string) => change({ uploadUrl }),
      onProgress(share: number) {
        const now = Math.floor(share * 100);
        if (now === percent) return;
        hasProgressed ||= percent >= 0;
        percent = now;
        show({ sent: now });
      },
    };
    const { blob, uploadUrl } = photo;
    try {
      await api.upload({ blob, uploadUrl, name: `incoming/${id}` }, handlers, signal);
    } catch (error) {
      const photoResult = await resultAfterRefusal(error);
      if (photoResult) return photoResult;
    }
    hasProgressed = true;
    change({ isSent: true });
    return undefined;
  }

  /**
   * The result if an earlier attempt succeeded although its answer was lost.
   * @throws the error otherwise
   */
  async function resultAfterRefusal(error: unknown): Promise<PhotoResult | AttemptResult | undefined> {
    const { code } = refusalOf(error);
    if (code !== 'conflict' && code !== 'forbidden') throw error;
    const [row] = await api.readPhotos([id]);
    if (finalResult(row) || (row && code === 'conflict')) return finalResult(row);
    if (row || !photo.isRegistered) throw error;
    // The newsroom deletes photos that do not arrive within a day; this device still has the file and starts again.
    change({ uploadUrl: undefined });
    await register();
    hasProgressed = true;
    return failed();
  }

  async function process(): Promise<PhotoResult | AttemptResult> {
    show({ step: 'checking', sent: 100, pauseReason: null });
    const photoResult = finalResult(await api.process(id));
    if (photoResult) return photoResult;
    const unprocessedChecks = photo.unprocessedChecks + 1;
    change(
      unprocessedChecks < MAX_UNPROCESSED_CHECKS
        ? { unprocessedChecks }
        : { unprocessedChecks: 0, isSent: false, uploadUrl: undefined },
    );
    return failed();
  }

  try {
    const result = await api.withLock(id, run);
    if (result !== 'elsewhere') return result;
    show({ step: 'elsewhere' });
    return failedAttempt(null, true);
  } catch (error) {
    const refusal = refusalOf(error);
    const { code } = refusal;
    if (!isTemporary(refusal)) return { state: 'refused', refusal_code: code };
    // An upload stopped by this page resumes at once.
    if (!signal.aborted) show({ pauseReason: code === 'signed_out' ? 'session' : 'line' });
    return failed(refusal);
  }
}

/** Reports that a photo will not arrive. Not needed when the desk does not know it or it belongs to another person. */
export async function cancelPhoto(id: string, api: PhotoApi): Promise<AttemptResult> {
  try {
    await api.cancel(id);
    return 'done';
  } catch (error) {
    const refusal = refusalOf(error);
    return isTemporary(refusal) ? failedAttempt(refusal) : 'done';
  }
}

/** The result of a photo that is no longer uploading. */
function finalResult(photoResult: PhotoResult | undefined): PhotoResult | undefined {
  if (photoResult?.state === 'removed') return { state: 'refused', refusal_code: 'removed' };
  return photoResult && photoResult.state !== 'uploading' ? photoResult : undefined;
}
