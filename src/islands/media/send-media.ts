import { type MediaFileState, type MediaFormat, typeOfFormat } from '../../lib/domain/media-files.ts';
import { isErrorCode, Refused } from '../../lib/i18n/refusals.ts';
import { type DeskBackend, loadUploader, processUpload } from '../desk/backend.ts';
import { refusalOf } from '../desk/task.ts';
import { delayAfter, failedAttempt, isTemporary } from '../outbox/retry.ts';
import { withLocalStorage } from '../shared/local-storage.ts';
import { withoutPlace } from './remove-place.ts';

/** How far an upload is. `percent`: uploaded part. */
export type UploadStep =
  | { step: 'sending'; percent: number }
  | { step: 'waiting'; percent: number; isSignedOut: boolean }
  | { step: 'checking' };

type SendOptions = {
  file: File;
  format: MediaFormat;
  /** Length in seconds, if the browser could read it. */
  seconds: number | null;
  /** Id of the coverage. */
  coverage: string;
  backend: Pick<DeskBackend, 'execute' | 'uploadTarget'>;
  signal: AbortSignal;
  show(step: UploadStep): void;
};

/**
 * Registers, uploads and checks a video or audio file. It retries until the file has arrived, is refused, or the signal
 * aborts it.
 *
 * The file stays where the person has it: a copy of 100 MB in the browser's storage would often not fit. Instead the
 * device remembers the address of the upload under the file's name, size and time. After a reload the same file, chosen
 * again, continues there. An upload that is not continued is deleted after a day by the backend.
 * @returns the path of the file
 * @throws Refused for a final refusal; any error after an abort
 */
export async function sendMedia({ file, coverage, signal, show, ...options }: SendOptions): Promise<string> {
  const memory = uploadMemory(coverage, file);
  let [attempts, percent, hasRestarted] = [0, 0, false];
  const attempt: Attempt = {
    memory,
    onProgress(share) {
      if (percent === Math.floor(share * 100)) return;
      percent = Math.floor(share * 100);
      attempts = 0;
      show({ step: 'sending', percent });
    },
    onChecking: () => show({ step: 'checking' }),
  };
  for (;;) {
    show({ step: 'sending', percent });
    try {
      const path = await sendOnce({ file, coverage, signal, ...options }, attempt);
      memory.forget();
      return path;
    } catch (error) {
      // The file, chosen again, continues this upload.
      signal.throwIfAborted();
      const refusal = refusalOf(error);
      if (!isTemporary(refusal)) {
        // The remembered upload was deleted, or another person began it.
        const mayRestart = memory.isRemembered() && !hasRestarted && refusal.code !== 'unsupported_media';
        memory.forget();
        if (!mayRestart) throw error;
        hasRestarted = true;
        continue;
      }
      attempts++;
      show({ step: 'waiting', percent, isSignedOut: refusal.code === 'signed_out' });
      await pause(delayAfter(failedAttempt(refusal), attempts), signal);
    }
  }
}

type Attempt = {
  memory: UploadMemory;
  /** @param share uploaded share of the bytes, 0 to 1 */
  onProgress(share: number): void;
  onChecking(): void;
};

async function sendOnce(
  { file, format, seconds, coverage: coverage_id, backend, signal }: Omit<SendOptions, 'show'>,
  { memory, onProgress, onChecking }: Attempt,
): Promise<string> {
  signal.throwIfAborted();
  const { id, uploadUrl } = memory.read();
  const args = { file_id: id, coverage_id, format, ...(seconds !== null && { seconds }) };
  const registered = (await backend.execute('save_media_file', args)) as MediaFileState;
  memory.save({ id, ...(uploadUrl && { uploadUrl }) });
  if (registered.state !== 'uploading') return pathOf(registered);
  const { upload } = await loadUploader();
  const published = await withoutPlace(file, format);
  // The browser's type may be an alias, which the bucket refuses. A slice is not a copy.
  const blob = published.slice(0, published.size, typeOfFormat(format));
  const handlers = { onStarted: (url: string) => memory.save({ id, uploadUrl: url }), onProgress };
  try {
    const source = { blob, name: id, ...(uploadUrl && { uploadUrl }) };
    await upload(source, backend.uploadTarget('media'), handlers, signal);
  } catch (error) {
    // The object exists: the answer to its last part was lost.
    if (refusalOf(error).code !== 'conflict') throw error;
  }
  onChecking();
  return pathOf(await processUpload(`/api/media/${id}`));
}

/** @throws Refused `unavailable` if the file is not in storage yet, or the code of its refusal */
function pathOf({ state, path, refusal_code }: MediaFileState): string {
  if (path) return path;
  const code =
    state === 'refused' && refusal_code && isErrorCode(refusal_code) ? refusal_code : 'unavailable';
  throw new Refused(code);
}

/** Waits for a time, for the connection or for an abort. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = new AbortController();
  const timer = setTimeout(resolve, ms);
  addEventListener('online', () => resolve(), end);
  signal.addEventListener('abort', () => resolve(), end);
  return promise.finally(() => {
    clearTimeout(timer);
    end.abort();
  });
}

/** An upload that began: the id of its file, and its address once there is one. */
type BegunUpload = { id: string; uploadUrl?: string };

type UploadMemory = {
  /** The upload to continue, or a new one. */
  read(): BegunUpload;
  save(upload: BegunUpload): void;
  forget(): void;
  /** Whether an earlier page began the upload. */
  isRemembered(): boolean;
};

/** Uploads of this device, by coverage and file. Without storage an upload lasts as long as its page. */
function uploadMemory(coverage: string, { name, size, lastModified }: File): UploadMemory {
  const key = `stoppress-media ${coverage} ${size} ${lastModified} ${name}`;
  const stored = withLocalStorage((storage) => storage.getItem(key));
  let isRemembered = stored !== undefined;
  let current: BegunUpload = stored ? parseUpload(stored) : { id: crypto.randomUUID() };
  return {
    read: () => current,
    save(upload) {
      current = upload;
      withLocalStorage((storage) => storage.setItem(key, JSON.stringify(upload)));
    },
    forget() {
      isRemembered = false;
      current = { id: crypto.randomUUID() };
      withLocalStorage((storage) => storage.removeItem(key));
    },
    isRemembered: () => isRemembered,
  };
}

function parseUpload(text: string): BegunUpload {
  try {
    return JSON.parse(text) as BegunUpload;
  } catch {
    return { id: crypto.randomUUID() };
  }
}
