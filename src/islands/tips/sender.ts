import { createStore, del, get, set, type UseStore, values } from 'idb-keyval';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { TipReceived, TipValues } from '../../lib/data/tip-form.ts';
import { type Refusal, Refused, refusal } from '../../lib/i18n/refusals.ts';
import { tips as messages } from '../../lib/i18n/tips.ts';
import { DRAFT_LIFETIME_MS, setHasQueuedTips, storeReceipt } from './draft.ts';
import { type RefusedTip, refusedTip, type TipPhoto, type TipStatus } from './store.ts';
import {
  backendUrl,
  photoIdIn,
  processPhoto,
  renewUploadUrl,
  signedInPerson,
  submitTip,
  untilReceived,
} from './tip-backend.ts';

/** A submitted tip as stored on this device until the newsroom has received all of it. */
export type QueuedTip = {
  /** Created at submission, so that repeated sends are one tip. */
  id: string;
  /** Time of submission in milliseconds since 1970. */
  at: number;
  /** Text and metadata. Deleted once the newsroom has received them. */
  content: { text: TipValues; website: string; took_ms?: number | undefined } | null;
  /** Id of the account that shows the tip; null for an anonymous one. */
  person: string | null;
  /** The shrunk photo, stored until it is uploaded. */
  photo: { id: string; blob: Blob } | null;
  /** Receipt, once the text was received. */
  receipt: string | null;
  /** Upload target of the photo and progress of its upload. */
  upload: TipReceived['upload'];
  uploadUrl?: string;
};

/** Stores queued tips on this device, or in this page's memory where storage is not available. */
export function openTipStore() {
  const inMemory = new Map<string, QueuedTip>();
  let database: UseStore | undefined;
  async function withStore<T>(task: (store: UseStore) => Promise<T>): Promise<T | undefined> {
    try {
      database ??= createStore('stoppress-tips', 'tips');
      return await task(database);
    } catch {
      return undefined;
    }
  }
  const readAll = async () => (await withStore((store) => values<QueuedTip>(store))) ?? [];

  return {
    /** @returns whether the tip survives this page */
    async put(tip: QueuedTip): Promise<boolean> {
      const isStored = (await withStore((store) => set(tip.id, tip, store).then(() => true))) ?? false;
      if (isStored) setHasQueuedTips(true);
      else inMemory.set(tip.id, tip);
      return isStored;
    },
    get: async (id: string): Promise<QueuedTip | undefined> =>
      inMemory.get(id) ?? (await withStore((store) => get<QueuedTip>(id, store))),
    async delete(id: string): Promise<void> {
      inMemory.delete(id);
      await withStore((store) => del(id, store));
      if ((await readAll()).length === 0) setHasQueuedTips(false);
    },
    /** Queued tips on this device. Tips older than a day are deleted, because they are no longer news. */
    async all(): Promise<QueuedTip[]> {
      const tips = await readAll();
      for (const { id, at } of tips) if (Date.now() - at > DRAFT_LIFETIME_MS) await this.delete(id);
      return tips.filter(({ at }) => Date.now() - at <= DRAFT_LIFETIME_MS).sort((a, b) => a.at - b.at);
    },
  };
}

export type TipStore = ReturnType<typeof openTipStore>;

const failUnavailable = () => {
  throw new Refused(refusal('unavailable'));
};

/**
 * Shrinks a photo for a slow connection and removes its metadata, such as the location.
 * @throws Refused with the field `photo`
 */
export async function shrinkPhoto(file: File): Promise<Blob> {
  const { shrink } = await import('../photos/resize.ts').catch(failUnavailable);
  try {
    return (await shrink(file)).blob;
  } catch (error) {
    throw error instanceof Refused ? new Refused(photoRefusal(error.refusal)) : error;
  }
}

/** Errors of a photo are shown at its field. */
function photoRefusal({ code }: Refusal): Refusal {
  const sentence =
    code === 'too_large' ? messages.problems.photoTooLarge : messages.refused.unsupported_media;
  return refusal(code, { field: 'photo', sentence });
}

/**
 * Uploads a tip's photo, resuming an earlier attempt.
 * @throws Refused `unavailable` for a lost connection; other codes are permanent
 */
export async function uploadTipPhoto(
  { photo, upload, uploadUrl }: Pick<QueuedTip, 'photo' | 'upload' | 'uploadUrl'>,
  backend: BrowserBackend,
  handlers: { onStarted(uploadUrl: string): void; onProgress(share: number): void },
  stop: AbortSignal,
): Promise<void> {
  if (!photo || !upload) return;
  const { upload: send } = await import('../photos/upload.ts').catch(failUnavailable);
  const place = {
    endpoint: `${backendUrl(backend)}/storage/v1/upload/resumable/sign`,
    bucket: upload.bucket,
    headers: () => ({ apikey: backend.publishableKey, 'x-signature': upload.token }),
  };
  try {
    await send(
      { blob: photo.blob, name: upload.path, ...(uploadUrl ? { uploadUrl } : {}) },
      place,
      handlers,
      stop,
    );
  } catch (error) {
    // An earlier attempt succeeded although its answer was lost.
    const isUploaded = error instanceof Refused && error.refusal.code === 'conflict';
    if (!isUploaded) throw error;
  }
}

/** Content of a submitted form. */
export type TipSubmission = {
  text: TipValues;
  photo: File | null;
  /** Id of the account that shows the tip. */
  person: string | null;
  website: string;
  took_ms: number | undefined;
};

/** Receives the status of a tip; null when another tab handles it. */
type StatusListener = (status: TipStatus | null) => void;

/**
 * Restores a refused tip in its form.
 * @returns whether the form was free
 */
type RestoreRefused = (refused: RefusedTip) => boolean;

type SendHandlers = { onStatus: StatusListener; restore: RestoreRefused };

/** Sends tips. A submitted tip is stored on this device and sent once, under its own id, by one tab at a time. */
export function tipSender(backend: BrowserBackend) {
  const store = openTipStore();
  const idsFor = idsByContent();

  /** Sends a stored tip, resuming where it stopped. */
  async function send(
    id: string,
    isStored: boolean,
    { onStatus, restore }: SendHandlers,
    stop: AbortSignal,
  ): Promise<void> {
    let tip = await store.get(id);
    let isAnonymous = false;
    const reportPhoto = (photo: TipPhoto) =>
      onStatus({ step: 'received', receipt: tip?.receipt ?? '', photo, isStored, isAnonymous });
    const reportWaiting = () =>
      tip?.receipt ? reportPhoto('waiting') : onStatus({ step: 'sending', isWaiting: true, isStored });
    const update = async (part: Partial<QueuedTip>) => {
      if (!tip) return;
      tip = { ...tip, ...part };
      await store.put(tip);
    };
    async function sendText({ content, photo, person }: QueuedTip): Promise<void> {
      if (!content) return;
      const { text, ...metadata } = content;
      const size = photo ? { photo: { id: photo.id, type: photo.blob.type, size: photo.blob.size } } : {};
      const { received, isAnonymous: sentAnonymously } = await submitTip(
        backend,
        { ...text, ...metadata, ...size, id },
        person,
        stop,
      );
      isAnonymous = sentAnonymously;
      storeReceipt(received.receipt);
      await update({ content: null, receipt: received.receipt, upload: received.upload });
    }
    async function sendPhoto({ photo }: QueuedTip): Promise<TipPhoto> {
      if (!photo || !tip) return 'none';
      reportPhoto(0);
      // If the same tip was sent before, its photo id is used.
      const { upload } = tip;
      const handlers = {
        onStarted: (uploadUrl: string) => void update({ uploadUrl }),
        onProgress: reportPhoto,
      };
      try {
        await uploadTipPhoto(tip, backend, handlers, stop);
      } catch (error) {
        if (!upload?.again || !isUploadUrlExpired(error)) throw error;
        await update({ upload: await renewUploadUrl(backend, upload, stop) });
        await uploadTipPhoto(tip, backend, handlers, stop);
      }
      return processPhoto(upload ? photoIdIn(upload.path) : photo.id);
    }

    await withLock(id, async () => {
      // Another tab may have sent or deleted the tip meanwhile.
      tip = await store.get(id);
      if (!tip) return onStatus(null);
      try {
        const photoResult = await untilReceived(reportWaiting, stop, async () => {
          if (!tip) return 'none';
          await sendText(tip);
          return sendPhoto(tip);
        });
        await store.delete(id);
        reportPhoto(photoResult);
      } catch (error) {
        if (!tip.receipt && !stop.aborted) {
          // The text was refused. It is deleted only once a form shows it.
          const refused = { ...refusedTip(error), ...(tip.content ? { text: tip.content.text } : {}) };
          if (restore(refused)) await store.delete(id);
          return;
        }
        await store.delete(id);
        // The text was received, and the upload URL cannot be renewed.
        if (tip.receipt) reportPhoto(isFileProblem(error) ? 'refused' : 'lost');
        else onStatus({ step: 'writing', problems: {} });
      }
    });
  }

  return {
    person: signedInPerson,
    /** Loads the photo code before a photo is sent. */
    expectPhoto: () => void import('../photos/resize.ts').catch(() => undefined),
    async submit(
      { photo, person, ...content }: TipSubmission,
      onStatus: StatusListener,
      stop: AbortSignal,
    ): Promise<void> {
      const reportNotStored = () => onStatus({ step: 'sending', isWaiting: true, isStored: false });
      try {
        const blob = photo && (await untilReceived(reportNotStored, stop, () => shrinkPhoto(photo)));
        const id = idsFor(content.text, photo);
        const isStored = await store.put({
          id: id.tip,
          at: Date.now(),
          content,
          person,
          photo: blob && { id: id.photo, blob },
          receipt: null,
          upload: null,
        });
        onStatus({ step: 'sending', isWaiting: false, isStored });
        // The form still contains the text.
        const restore = (refused: RefusedTip) => {
          onStatus(refused);
          return true;
        };
        await send(id.tip, isStored, { onStatus, restore }, stop);
      } catch (error) {
        onStatus(stop.aborted ? { step: 'writing', problems: {} } : refusedTip(error));
      }
    },
    /**
     * Sends the tips that were queued on this device before.
     * @param signalFor signal that stops a tip
     */
    async sendQueued(handlersFor: (id: string) => SendHandlers, signalFor: (id: string) => AbortSignal) {
      for (const { id, receipt } of await store.all()) {
        const handlers = handlersFor(id);
        handlers.onStatus(
          receipt
            ? { step: 'received', receipt, photo: 'waiting', isStored: true, isAnonymous: false }
            : { step: 'sending', isWaiting: true, isStored: true },
        );
        void send(id, true, handlers, signalFor(id));
      }
    },
    /**
     * Restores a refused tip that had no free form before.
     * @returns whether it is done; another tab may have been first
     */
    async restoreNow(id: string, refused: RefusedTip, restore: RestoreRefused): Promise<boolean> {
      const exists = (await store.get(id)) !== undefined;
      if (exists && !restore(refused)) return false;
      await store.delete(id);
      return true;
    },
    /** Deletes a queued tip, or only its photo if the text was received. */
    discard: store.delete,
  };
}

export type TipSender = ReturnType<typeof tipSender>;

const isFileProblem = (error: unknown) =>
  error instanceof Refused && ['too_large', 'unsupported_media'].includes(error.refusal.code);

/** The upload URL has expired. */
const isUploadUrlExpired = (error: unknown) =>
  error instanceof Refused && ['forbidden', 'signed_out'].includes(error.refusal.code);

/** One tab at a time, where the browser supports locks. Otherwise the tip's id prevents duplicates. */
const withLock = (id: string, task: () => Promise<void>): Promise<void> =>
  'locks' in navigator ? navigator.locks.request(`stoppress.tip.${id}`, task) : task();

/** Ids by content: another text is another tip. */
function idsByContent() {
  let last = { key: '', tip: '', photo: '' };
  return (text: TipValues, file: File | null) => {
    const key = JSON.stringify([text, file?.name, file?.size, file?.lastModified]);
    if (key !== last.key) last = { key, tip: crypto.randomUUID(), photo: crypto.randomUUID() };
    return last;
  };
}
