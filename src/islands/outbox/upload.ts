import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import type { ErrorCode } from '../../lib/domain/errors.ts';
import { Refused } from '../../lib/i18n/refusals.ts';

/** Where to upload files, and with which credentials. */
export type UploadTarget = {
  /** Absolute URL at which uploads start. */
  endpoint: string;
  bucket: string;
  /**
   * Credentials, requested before every request.
   * @throws Refused
   */
  headers(): Promise<Record<string, string>> | Record<string, string>;
  /** Called when the credentials were rejected. */
  forget?(): void;
};

export type UploadFile = {
  blob: Blob;
  /** Name of the object in its bucket. */
  name: string;
  /** URL of an earlier attempt. */
  uploadUrl?: string;
};

export type UploadHandlers = {
  /** The upload can resume at this URL, also after the page was closed. */
  onStarted(uploadUrl: string): void;
  /** @param share uploaded share of the bytes, 0 to 1 */
  onProgress(share: number): void;
};

/** Chunk size that hosted projects require. Shrunk photos are smaller. */
const CHUNK_BYTES = 6 * 1024 * 1024;
/**
 * Time without progress after which an upload counts as failed, in milliseconds. A slow connection sends one of its
 * buffers in that time.
 */
const STALL_TIMEOUT_MS = 45_000;

/**
 * Uploads a file with TUS, resuming an earlier attempt. Makes one attempt; the caller retries.
 * @throws Refused: `unavailable` for a lost connection or an abort by `signal`, `signed_out`, `conflict` when the
 *   object exists, `forbidden`, `too_large`, `unsupported_media`, `rate_limited`
 */
export async function upload(
  { blob, name, uploadUrl }: UploadFile,
  target: UploadTarget,
  handlers: UploadHandlers,
  signal: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const failUnavailable = () => ended.reject(new Refused('unavailable'));
  let stallTimer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = () => {
    clearTimeout(stallTimer);
    stallTimer = setTimeout(failUnavailable, STALL_TIMEOUT_MS);
  };

  const upload = new Upload(blob, {
    endpoint: target.endpoint,
    uploadUrl: uploadUrl ?? null,
    chunkSize: CHUNK_BYTES,
    retryDelays: null,
    // Uploads are resumed by the photo's id instead.
    storeFingerprintForResuming: false,
    headers: { 'x-upsert': 'false' },
    metadata: {
      bucketName: target.bucket,
      objectName: name,
      contentType: blob.type,
      cacheControl: '3600',
    },
    async onBeforeRequest(request: HttpRequest) {
      for (const [name, value] of Object.entries(await target.headers())) request.setHeader(name, value);
    },
    onAfterResponse: (_request: HttpRequest, response: HttpResponse) => {
      restartTimer();
      // On a temporary error the upload still exists; the client would start a new one.
      if (isTemporary(response.getStatus())) throw new Refused('unavailable');
    },
    onUploadUrlAvailable: () => {
      if (upload.url) handlers.onStarted(upload.url);
    },
    onProgress(sent, total) {
      restartTimer();
      handlers.onProgress(total ? sent / total : 0);
    },
    onSuccess: () => ended.resolve(),
    onError: (error) => ended.reject(error),
  });

  signal.addEventListener('abort', failUnavailable);
  restartTimer();
  try {
    // A signal that is aborted already fires no event.
    if (signal.aborted) throw new Refused('unavailable');
    upload.start();
    await ended.promise;
  } catch (error) {
    // Read before the abort, which clears the response.
    const refused = toRefused(error);
    void upload.abort();
    if (refused.refusal.code === 'signed_out') target.forget?.();
    throw refused;
  } finally {
    clearTimeout(stallTimer);
    signal.removeEventListener('abort', failUnavailable);
  }
}

const isTemporary = (status: number) => status >= 500 || status === 429 || status === 423;

const CODES: Record<number, ErrorCode> = {
  400: 'forbidden',
  401: 'signed_out',
  403: 'forbidden',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_media',
};

/** Error of a failed upload. Unknown errors count as a lost connection or a temporary server error. */
function toRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof DetailedError)) return new Refused('unavailable');
  if (error.causingError instanceof Refused) return error.causingError;
  const response = error.originalResponse;
  const code = CODES[response?.getStatus() ?? 0] ?? 'unavailable';
  // The other cause of 409: an earlier request was still being received.
  const isStillRunning = code === 'conflict' && !response?.getBody().includes('already exists');
  return new Refused(isStillRunning ? 'unavailable' : code);
}
