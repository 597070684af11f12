import type { ErrorCode } from '../../lib/domain/errors.ts';
import { refusalOf } from '../desk/task.ts';
import type { PhotoApi, PhotoResult } from './photo-backend.ts';
import type { PhotoStatus } from './photo-status.ts';
import type { StoredPhoto } from './photo-store.ts';

/** Result of an attempt: finished, progress, or no progress. */
export type AttemptResult = 'over' | 'further' | 'nowhere';

export type RetryQueue = {
  add(id: string): void;
  remove(id: string): void;
  /** Retries waiting entries now, because the connection is back. */
  retryNow(): void;
  /** Stops the running attempt and starts none until the returned function is called. */
  pause(): () => void;
};

/** Delay before the first retry, and the longest delay. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/**
 * Runs one entry at a time in order and retries failed ones forever: other entries first, then after delays that grow
 * without progress.
 * @param attempt never rejects; `signal` tells it to stop
 */
export function makeRetryQueue(
  attempt: (id: string, signal: AbortSignal) => Promise<AttemptResult>,
): RetryQueue {
  const waiting = new Map<string, { tries: number; retryAt: number }>();
  let running: { id: string; stop: AbortController } | undefined;
  let pauses = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function runNext(): void {
    clearTimeout(timer);
    if (running || pauses > 0 || waiting.size === 0) return;
    const now = performance.now();
    for (const [id, { retryAt }] of waiting) {
      if (retryAt <= now) return void run(id);
    }
    const soonest = Math.min(...[...waiting.values()].map(({ retryAt }) => retryAt));
    timer = setTimeout(runNext, soonest - now);
  }

  async function run(id: string): Promise<void> {
    const stop = new AbortController();
    running = { id, stop };
    const result = await attempt(id, stop.signal);
    running = undefined;
    const entry = waiting.get(id);
    if (result === 'over') waiting.delete(id);
    else if (entry && !stop.signal.aborted) {
      entry.tries = result === 'further' ? 1 : entry.tries + 1;
      entry.retryAt = performance.now() + retryDelay(entry.tries);
    }
    runNext();
  }

  return {
    add(id) {
      if (!waiting.has(id)) waiting.set(id, { tries: 0, retryAt: 0 });
      runNext();
    },
    remove(id) {
      waiting.delete(id);
      if (running?.id === id) running.stop.abort();
    },
    retryNow() {
      for (const entry of waiting.values()) Object.assign(entry, { tries: 0, retryAt: 0 });
      runNext();
    },
    pause() {
      pauses += 1;
      running?.stop.abort();
      let isPaused = true;
      return () => {
        if (isPaused) pauses -= 1;
        isPaused = false;
        runNext();
      };
    },
  };
}

function retryDelay(tries: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
}

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

/** Error codes after which the upload is retried. */
const TEMPORARY_CODES: ErrorCode[] = ['unavailable', 'internal', 'rate_limited', 'signed_out'];

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
  const attemptResult = (): AttemptResult => (hasProgressed ? 'further' : 'nowhere');

  async function run(): Promise<PhotoResult | AttemptResult> {
    if (await isRemoved()) return finalResult((await api.readPhotos([id]))[0]) ?? 'over';
    const result = photo.isRegistered ? undefined : finalResult(await register());
    return result ?? (photo.isSent ? undefined : await sendFile()) ?? process();
  }

  /** @returns undefined when it was uploaded */
  async function sendFile(): Promise<PhotoResult | AttemptResult | undefined> {
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
    return 'further';
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
    return attemptResult();
  }

  try {
    const result = await api.withLock(id, run);
    if (result !== 'elsewhere') return result;
    show({ step: 'elsewhere' });
    return 'further';
  } catch (error) {
    const { code } = refusalOf(error);
    if (!TEMPORARY_CODES.includes(code)) return { state: 'refused', refusal_code: code };
    // An upload stopped by this page resumes at once.
    if (!signal.aborted) show({ pauseReason: code === 'signed_out' ? 'session' : 'line' });
    return attemptResult();
  }
}

/** Reports that a photo will not arrive. Not needed when the desk does not know it or it belongs to another person. */
export async function cancelPhoto(id: string, api: PhotoApi): Promise<AttemptResult> {
  try {
    await api.cancel(id);
    return 'over';
  } catch (error) {
    return TEMPORARY_CODES.includes(refusalOf(error).code) ? 'nowhere' : 'over';
  }
}

/** The result of a photo that is no longer uploading. */
function finalResult(photoResult: PhotoResult | undefined): PhotoResult | undefined {
  if (photoResult?.state === 'removed') return { state: 'refused', refusal_code: 'removed' };
  return photoResult && photoResult.state !== 'uploading' ? photoResult : undefined;
}
