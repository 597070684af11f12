import { atom, map, type ReadableAtom } from 'nanostores';
import {
  type FormPhoto,
  formPhoto,
  type PhotoTexts,
  photoContent,
  photoRefusal,
} from '../../lib/data/photo-form.ts';
import type { DeskPhoto } from '../../lib/domain/photos.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import { refusalOf } from '../desk/task.ts';
import { type AttemptResult, makeSender } from '../outbox/sender.ts';
import type { PhotoStore, StoredPhoto } from './photo-store.ts';
import { unchanged } from './resize.ts';
import {
  cancelPhoto,
  NEW_PHOTO,
  type PhotoApi,
  type PhotoResult,
  type PhotoStatus,
  photoStatusOf,
  pictureOf,
  uploadPhoto,
} from './send-photo.ts';

export type Photos = {
  $photos: ReadableAtom<Record<string, PhotoStatus>>;
  /** Whether unfinished uploads survive this page. */
  $isStored: ReadableAtom<boolean>;
  /** Result of the last uploads, to announce. */
  $announcement: ReadableAtom<string>;
  /** Loads the stored photos of all the person's desks and starts uploading. Returns a function that stops it. */
  start(): () => void;
  /**
   * Adds chosen files.
   * @returns the ids of their photos
   */
  add(update: string, files: readonly Blob[]): string[];
  /** Cancels photos that were chosen here. */
  cancel(ids: string[]): void;
  /**
   * Loads the status of an editor's photos that this device does not upload.
   * @param known photos as the desk has them
   */
  expect(ids: string[], known: DeskPhoto[]): Promise<void>;
  /** Photos that are not refused or missing. */
  usable(photos: FormPhoto[]): FormPhoto[];
  /** Photos whose text the desk does not have. They count as saved from now on. */
  photosWithNewText(photos: FormPhoto[], known: DeskPhoto[]): FormPhoto[];
  /** Retries at once, because the newsroom is reachable again. */
  retryNow(): void;
};

/** A new photo before any step. */
const NEW_STORED_PHOTO = {
  shrinkAttempts: 0,
  width: null,
  height: null,
  preview: null,
  isRegistered: false,
  isSent: false,
  unprocessedChecks: 0,
  refusal: null,
  isCancelled: false,
};

/** Number of times that a page may end while shrinking a photo, before the server has to do it. */
const MAX_SHRINK_ATTEMPTS = 2;

/** Options of a page with photos. */
type PhotosOptions = {
  /** Coverage whose photos the page shows and adds; null for none. Photos of all coverages are uploaded. */
  coverage: string | null;
  /** Reports whether text is waiting to be sent. Returns a function that stops it. */
  watchText?: (onChange: (isWaiting: boolean) => void) => () => void;
  /** Without messages, results are not announced. */
  messages?: PhotoMessages;
};

type PhotoMessages = Pick<Messages, 'deskPhotos'>;

/** Photos of a desk page: uploads of this device, one at a time and after all text, and the status of other photos. */
export function makePhotos(
  api: PhotoApi,
  photoStore: PhotoStore,
  { coverage, messages, watchText }: PhotosOptions,
): Photos {
  const $photos = map<Record<string, PhotoStatus>>({});
  const $isStored = atom(true);
  const $announcement = atom('');
  /** Photos that this page uploads. */
  const uploads = new Map<string, StoredPhoto>();
  /** Photos whose text this page has sent; an editor's knowledge of them may be outdated. */
  const textSent = new Set<string>();
  /** Text of photos as the desk has it. */
  const textAtDesk = new Map<string, string>();
  let shrinkQueue = Promise.resolve();
  let loading: Promise<void> | undefined;

  function announce(message: (messages: PhotoMessages) => string): void {
    if (messages) $announcement.set(message(messages));
  }

  function show(id: string, part: Partial<PhotoStatus>): void {
    const photo = uploads.get(id);
    if (photo && photo.coverage !== coverage) return;
    const before = $photos.get()[id];
    $photos.setKey(id, { ...NEW_PHOTO, id, update: null, ...before, ...part });
  }

  async function save(id: string, words?: PhotoTexts): Promise<PhotoResult> {
    const answer = await api.save(id, uploads.get(id)?.coverage ?? coverage ?? '', words);
    void change(id, { isRegistered: true });
    return answer;
  }

  async function change(id: string, part: Partial<StoredPhoto>): Promise<void> {
    const photo = uploads.get(id);
    if (!photo) return;
    uploads.set(id, { ...photo, ...part });
    await photoStore.change(id, part);
  }

  function removeUpload(id: string): void {
    uploads.delete(id);
    sender.remove(id);
    void photoStore.delete(id);
  }

  function finish(id: string, { state, refusal_code: refusal }: PhotoResult): void {
    if (state === 'ready') {
      show(id, {
        step: 'ready',
        sent: 100,
        pauseReason: null,
        picture: $photos.get()[id]?.picture ?? pictureOf(id),
      });
      removeUpload(id);
      if (uploads.size === 0) announce(({ deskPhotos }) => deskPhotos.tray.allArrived);
    } else {
      void refuse(id, refusal ?? 'internal');
      announce((messages) => photoRefusal(messages, refusal));
    }
  }

  /** A refused photo stays until the person dismisses it. Its file is deleted. */
  async function refuse(id: string, refusal: string): Promise<void> {
    show(id, { step: 'refused', refusal });
    await change(id, { refusal, blob: new Blob() });
    void sender.add(id);
  }

  function cancel(ids: string[]): void {
    const left = { ...$photos.get() };
    for (const id of ids) {
      removeUpload(id);
      if (left[id]?.update) delete left[id];
    }
    $photos.set(left);
  }

  const sender = makeSender({ attempt });

  async function attempt(id: string, signal: AbortSignal): Promise<AttemptResult> {
    const photo = uploads.get(id);
    if (!photo) return 'done';
    if (photo.refusal) {
      const result = await cancelPhoto(id, api);
      if (result !== 'done') return result;
      await change(id, { isCancelled: true });
      uploads.delete(id);
      return result;
    }
    const result = await uploadPhoto(photo, signal, {
      api,
      isRemoved: async () => $isStored.get() && !(await photoStore.has(id)),
      register: () => save(id),
      change: (part) => void change(id, part),
      show: (part) => show(id, part),
    });
    if (result === 'done') cancel([id]);
    if (result === 'done' || !('state' in result)) return result;
    if (uploads.has(id)) finish(id, result);
    return 'done';
  }

  /** Stored before shrinking, so that it is not lost when the page ends. */
  async function store(photo: StoredPhoto): Promise<void> {
    uploads.set(photo.id, photo);
    $isStored.set(await photoStore.put(photo));
  }

  function resume(photo: StoredPhoto): void {
    const { id, update, width, height, preview, shrinkAttempts, refusal, isCancelled, name = null } = photo;
    if (!isCancelled && !uploads.has(id)) uploads.set(id, photo);
    if (refusal) {
      show(id, { update, name, step: 'refused', refusal, width, height, picture: preview });
      if (!isCancelled) void sender.add(id);
    } else if (shrinkAttempts === null) {
      show(id, { update, name, step: 'waiting', width, height, picture: preview });
      void sender.add(id);
    } else queueShrink(photo);
  }

  /** One at a time, because phones lack memory for several. */
  function queueShrink(photo: StoredPhoto): void {
    show(photo.id, { update: photo.update, name: photo.name ?? null });
    shrinkQueue = shrinkQueue.then(() => shrink(photo.id));
  }

  async function shrink(id: string): Promise<void> {
    const photo = uploads.get(id);
    // The photo was removed meanwhile.
    if (!photo) return;
    const shrinkAttempts = (photo.shrinkAttempts ?? 0) + 1;
    await change(id, { shrinkAttempts });
    try {
      // After repeated failures the server has to shrink it.
      const shrunkPhoto =
        shrinkAttempts > MAX_SHRINK_ATTEMPTS ? unchanged(photo.blob) : await api.shrink(photo.blob);
      await change(id, { ...shrunkPhoto, shrinkAttempts: null });
      const updated = uploads.get(id);
      if (updated) resume(updated);
    } catch (error) {
      finish(id, { state: 'refused', refusal_code: refusalOf(error).code });
    }
  }

  function load(): Promise<void> {
    loading ??= photoStore.all().then((photos) => photos.forEach(resume));
    return loading;
  }

  return {
    $photos,
    $isStored,
    $announcement,
    start() {
      let resumeUploads: (() => void) | undefined;
      const resumeQueue = () => {
        resumeUploads?.();
        resumeUploads = undefined;
      };
      const stopWatching = watchText?.((isWaiting) => {
        if (isWaiting) resumeUploads ??= sender.pause();
        else resumeQueue();
      });
      void load();
      const stopSending = sender.start();
      return () => {
        stopWatching?.();
        resumeQueue();
        stopSending();
      };
    },
    add(update, files) {
      return files.map((blob) => {
        const id = crypto.randomUUID();
        const name = blob instanceof File ? blob.name : null;
        const photo = {
          ...NEW_STORED_PHOTO,
          id,
          update,
          coverage: coverage ?? '',
          name,
          blob,
          at: Date.now(),
        };
        void store(photo);
        queueShrink(photo);
        return id;
      });
    },
    cancel,
    async expect(ids, known) {
      await load();
      for (const photo of known) {
        textAtDesk.set(photo.id, textOf(formPhoto(photo)));
        const status = $photos.get()[photo.id];
        const isUploading = uploads.has(photo.id) || status?.step === 'refused';
        if (!isUploading && !status?.picture) show(photo.id, photoStatusOf(photo));
      }
      const unknown = ids.filter((id) => !$photos.get()[id]);
      if (unknown.length === 0) return;
      const rows = await api.readPhotos(unknown).catch(() => null);
      for (const photo of rows ?? []) {
        textAtDesk.set(photo.id, textOf(formPhoto(photo)));
        show(photo.id, photoStatusOf(photo));
      }
      const missing = rows ? unknown.filter((id) => !$photos.get()[id]) : [];
      for (const id of missing) show(id, { step: 'missing' });
    },
    usable: (photos) =>
      photos.filter(({ id }) => !['refused', 'missing'].includes($photos.get()[id]?.step ?? 'waiting')),
    photosWithNewText(photos, known) {
      const texts = new Map([
        ...textAtDesk,
        ...known.map((photo) => [photo.id, textOf(formPhoto(photo))] as const),
      ]);
      const changed = photos.filter(
        (photo) => textSent.has(photo.id) || texts.get(photo.id) !== textOf(photo),
      );
      for (const { id } of changed) textSent.add(id);
      return changed;
    },
    retryNow: sender.retryNow,
  };
}

const textOf = (words: PhotoTexts) => JSON.stringify(photoContent(words));
