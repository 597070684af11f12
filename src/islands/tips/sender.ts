import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { TipResponse, TipValues } from '../../lib/data/tips.ts';
import type { Language } from '../../lib/i18n/language.ts';
import { type Refusal, Refused, refusal } from '../../lib/i18n/refusals.ts';
import { entryStore } from '../outbox/database.ts';
import { failedAttempt, isTemporary } from '../outbox/retry.ts';
import { type AttemptResult, makeSender, withLock } from '../outbox/sender.ts';
import { DRAFT_LIFETIME_MS, setHasQueuedTips, storeReceipt } from './draft.ts';
import { type RefusedTip, refusedTip, type SubmissionStatus, type TipPhotoStatus } from './store.ts';
import {
  backendUrl,
  photoIdIn,
  processPhoto,
  renewUploadUrl,
  signedInPerson,
  submitTip,
} from './tip-backend.ts';

/** A submitted tip as stored on this device until the newsroom has received all of it. */
type QueuedTip = {
  /** Created at submission, so that repeated sends are one tip. */
  id: string;
  /** Time of submission in milliseconds since 1970. */
  at: number;
  /** Text and metadata. Deleted once the newsroom has received them. */
  content: { text: TipValues; website: string; took_ms?: number | undefined } | null;
  /** Id of the account that shows the tip; null for an anonymous one. */
  person: string | null;
  /** The photo, stored until it is uploaded. `shrinkAttempts` is null once it is shrunk. */
  photo: { id: string; blob: Blob; shrinkAttempts: number | null } | null;
  /** Receipt, once the text was received. */
  receipt: string | null;
  /** Upload target of the photo and progress of its upload. */
  upload: TipResponse['upload'];
  uploadUrl?: string;
};

/** Tips that wait to be sent. After a day a tip is no longer news. */
const queuedTips = entryStore<QueuedTip>('tips', DRAFT_LIFETIME_MS);

async function readQueuedTips(): Promise<QueuedTip[]> {
  const tips = await queuedTips.all();
  if (tips.length === 0) setHasQueuedTips(false);
  return tips;
}

/** @returns whether the tip survives this page */
async function storeTip(tip: QueuedTip): Promise<boolean> {
  const isStored = await queuedTips.put(tip);
  if (isStored) setHasQueuedTips(true);
  return isStored;
}

async function deleteTip(id: string): Promise<void> {
  await queuedTips.delete(id);
  await readQueuedTips();
}

const failUnavailable = () => {
  throw new Refused('unavailable');
};

/** Number of times that a page may end while shrinking a photo, before the server has to do it. */
const MAX_SHRINK_ATTEMPTS = 2;

/**
 * Shrinks a photo for a slow connection and removes its metadata, such as the location.
 * @throws Refused with the field `photo`
 */
async function shrinkPhoto(file: Blob, attempts: number): Promise<Blob> {
  const { shrink, unchanged } = await import('../photos/resize.ts').catch(failUnavailable);
  try {
    return (attempts > MAX_SHRINK_ATTEMPTS ? unchanged(file) : await shrink(file)).blob;
  } catch (error) {
    throw error instanceof Refused ? new Refused(photoRefusal(error.refusal)) : error;
  }
}

/** Errors of a photo are shown at its field. */
function photoRefusal({ code }: Refusal): Refusal {
  return refusal(code, {
    field: 'photo',
    message: ({ tips }) =>
      code === 'too_large' ? tips.problems.photoTooLarge : tips.refused.unsupported_media,
  });
}

/**
 * Uploads a tip's photo, resuming an earlier attempt.
 * @throws Refused `unavailable` for a lost connection; other codes are permanent
 */
async function uploadTipPhoto(
  { photo, upload, uploadUrl }: Pick<QueuedTip, 'photo' | 'upload' | 'uploadUrl'>,
  backend: BrowserBackend,
  handlers: { onStarted(uploadUrl: string): void; onProgress(share: number): void },
  stop: AbortSignal,
): Promise<void> {
  if (!photo || !upload) return;
  const { upload: send } = await import('../outbox/upload.ts').catch(failUnavailable);
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
type TipSubmission = {
  text: TipValues;
  photo: File | null;
  /** Id of the account that shows the tip. */
  person: string | null;
  website: string;
  took_ms: number | undefined;
};

/** Receives the status of a tip; null when another tab handles it. */
type StatusListener = (status: SubmissionStatus | null) => void;

/**
 * Restores a refused tip in its form.
 * @returns whether the form was free
 */
type RestoreRefused = (refused: RefusedTip) => boolean;

type SendHandlers = { onStatus: StatusListener; restore: RestoreRefused };

/**
 * Delay before the first retry of a tip in milliseconds. It is longer than at the desk, because many readers may lose
 * one connection.
 */
const FIRST_RETRY_MS = 4000;

/** Sends tips. A submitted tip is stored on this device and sent once, under its own id, by one tab at a time. */
export function tipSender(backend: BrowserBackend, language: Language) {
  const idsFor = idsByContent();
  const attempts = new Map<string, (signal: AbortSignal) => Promise<AttemptResult>>();
  const sender = makeSender({
    attempt: async (id, signal) => attempts.get(id)?.(signal) ?? 'done',
    concurrency: Number.POSITIVE_INFINITY,
    firstRetryMs: FIRST_RETRY_MS,
  });
  sender.start();

  /** Sends a stored tip, resuming where it stopped. The lock is kept between attempts, for one status per tip. */
  async function send(
    id: string,
    isStored: boolean,
    handlers: SendHandlers,
    stop: AbortSignal,
  ): Promise<void> {
    await withLock(`tip.${id}`, async () => {
      const tip = await queuedTips.get(id).catch(() => undefined);
      // Another tab may have sent or deleted the tip meanwhile.
      if (!tip) return handlers.onStatus(null);
      const sending = sendTip(tip, isStored, handlers);
      attempts.set(id, sending.attempt);
      const onStop = () => sender.remove(id);
      stop.addEventListener('abort', onStop);
      if (!stop.aborted) await sender.add(id);
      stop.removeEventListener('abort', onStop);
      attempts.delete(id);
      if (stop.aborted) await sending.discard();
    });
  }

  function sendTip(first: QueuedTip, isStored: boolean, { onStatus, restore }: SendHandlers) {
    let tip = first;
    let isAnonymous = false;
    let isOver = false;
    const reportPhoto = (photo: TipPhotoStatus) =>
      onStatus({ step: 'received', receipt: tip.receipt ?? '', photo, isStored, isAnonymous });
    const update = async (part: Partial<QueuedTip>) => {
      tip = { ...tip, ...part };
      await storeTip(tip);
    };
    async function shrinkFirst({ photo }: QueuedTip): Promise<void> {
      if (!photo || photo.shrinkAttempts === null) return;
      const shrinkAttempts = photo.shrinkAttempts + 1;
      await update({ photo: { ...photo, shrinkAttempts } });
      const blob = await shrinkPhoto(photo.blob, shrinkAttempts);
      await update({ photo: { ...photo, blob, shrinkAttempts: null } });
    }
    async function sendText({ content, photo, person }: QueuedTip, signal: AbortSignal): Promise<void> {
      if (!content) return;
      const { text, ...metadata } = content;
      const size = photo ? { photo: { id: photo.id, type: photo.blob.type, size: photo.blob.size } } : {};
      const { received, isAnonymous: sentAnonymously } = await submitTip(
        backend,
        { ...text, ...metadata, ...size, id: tip.id },
        person,
        signal,
      );
      isAnonymous = sentAnonymously;
      storeReceipt(received.receipt);
      await update({ content: null, receipt: received.receipt, upload: received.upload });
    }
    async function sendPhoto({ photo }: QueuedTip, signal: AbortSignal): Promise<TipPhotoStatus> {
      if (!photo) return 'none';
      reportPhoto(0);
      // If the same tip was sent before, its photo id is used.
      const { upload } = tip;
      const handlers = {
        onStarted: (uploadUrl: string) => void update({ uploadUrl }),
        onProgress: reportPhoto,
      };
      try {
        await uploadTipPhoto(tip, backend, handlers, signal);
      } catch (error) {
        if (!upload?.again || !isUploadUrlExpired(error)) throw error;
        await update({ upload: await renewUploadUrl(backend, upload, signal) });
        await uploadTipPhoto(tip, backend, handlers, signal);
      }
      return processPhoto(upload ? photoIdIn(upload.path) : photo.id);
    }
    async function finish(photoResult: TipPhotoStatus): Promise<'done'> {
      isOver = true;
      await deleteTip(tip.id);
      reportPhoto(photoResult);
      return 'done';
    }
    /** A refused text is deleted only once a form shows it. */
    async function refuse(error: unknown): Promise<'done'> {
      isOver = true;
      const refused = { ...refusedTip(error, language), ...(tip.content ? { text: tip.content.text } : {}) };
      if (restore(refused)) await deleteTip(tip.id);
      return 'done';
    }

    return {
      async attempt(signal: AbortSignal): Promise<AttemptResult> {
        try {
          await shrinkFirst(tip);
          await sendText(tip, signal);
          return await finish(await sendPhoto(tip, signal));
        } catch (error) {
          if (isRetried(error)) {
            if (signal.aborted) return failedAttempt(null);
            if (tip.receipt) reportPhoto('waiting');
            else onStatus({ step: 'sending', isWaiting: true, isStored });
            return failedAttempt(error.refusal);
          }
          if (!tip.receipt) return refuse(error);
          // The text was received, and the upload URL cannot be renewed.
          return finish(isFileProblem(error) ? 'refused' : 'lost');
        }
      },
      /** After the person has stopped it: deletes the tip, or only its photo if the text was received. */
      async discard(): Promise<void> {
        if (isOver) return;
        if (tip.receipt) await finish('lost');
        else {
          await deleteTip(tip.id);
          onStatus({ step: 'writing', problems: {} });
        }
      },
    };
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
      const id = idsFor(content.text, photo);
      // Stored before the photo is shrunk, so that it is not lost when the page ends.
      const isStored = await storeTip({
        id: id.tip,
        at: Date.now(),
        content,
        person,
        photo: photo && { id: id.photo, blob: photo, shrinkAttempts: 0 },
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
    },
    /**
     * Sends the tips that were queued on this device before.
     * @param signalFor signal that stops a tip
     */
    async sendQueued(handlersFor: (id: string) => SendHandlers, signalFor: (id: string) => AbortSignal) {
      for (const { id, receipt } of await readQueuedTips()) {
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
      const exists = await queuedTips.get(id).then(Boolean, () => true);
      if (exists && !restore(refused)) return false;
      await deleteTip(id);
      return true;
    },
    /** Deletes a queued tip, or only its photo if the text was received. */
    discard: deleteTip,
  };
}

export type TipSender = ReturnType<typeof tipSender>;

const isFileProblem = (error: unknown) =>
  error instanceof Refused && ['too_large', 'unsupported_media'].includes(error.refusal.code);

/** The upload URL has expired. */
const isUploadUrlExpired = (error: unknown) =>
  error instanceof Refused && ['forbidden', 'signed_out'].includes(error.refusal.code);

/** Errors that do not depend on the content. A tip needs no session, so signing out is no cause to wait. */
const isRetried = (error: unknown): error is Refused =>
  error instanceof Refused && error.refusal.code !== 'signed_out' && isTemporary(error.refusal);

/** Ids by content: another text is another tip. */
function idsByContent() {
  let last = { key: '', tip: '', photo: '' };
  return (text: TipValues, file: File | null) => {
    const key = JSON.stringify([text, file?.name, file?.size, file?.lastModified]);
    if (key !== last.key) last = { key, tip: crypto.randomUUID(), photo: crypto.randomUUID() };
    return last;
  };
}
