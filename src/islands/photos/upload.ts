import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import type { Code } from '../../lib/domain/errors.ts';
import { Refused, refusal } from '../../lib/i18n/refusals.ts';

/** Where photos are uploaded, and by what right. */
export type UploadPlace = {
  /** Where uploads begin, absolute. */
  endpoint: string;
  bucket: string;
  /** What shows the right: asked for before every request. @throws Refused */
  headers(): Promise<Record<string, string>> | Record<string, string>;
  /** What was shown is good no more. */
  forget?(): void;
};

export type Uploading = {
  blob: Blob;
  /** The object's name in its bucket. */
  name: string;
  /** Where an earlier try got to. */
  uploadUrl?: string;
};

export type UploadEars = {
  /** From here it goes on, also after the page was closed. */
  begun(uploadUrl: string): void;
  /** @param share of its bytes, 0 to 1 */
  progress(share: number): void;
};

/** The chunk that a hosted project demands. What is shrunk is smaller than one. */
const CHUNK_BYTES = 6 * 1024 * 1024;
/** Milliseconds after which an upload that does not move counts as gone: a slow line takes one of its buffers in that time. */
const LONGEST_SILENCE_MS = 45_000;

/**
 * Uploads a file by TUS, on from where it is. Tries once: when to try again is for the caller.
 * @throws Refused: `unavailable` when the line was lost or the upload stopped by `signal`, `signed_out`, `conflict` when
 *   an object of that name is there, `forbidden`, `too_large`, `unsupported_media`, `rate_limited`
 */
export async function upload(
  { blob, name, uploadUrl }: Uploading,
  place: UploadPlace,
  ears: UploadEars,
  signal: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const lost = () => ended.reject(new Refused(refusal('unavailable')));
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(lost, LONGEST_SILENCE_MS);
  };

  const upload = new Upload(blob, {
    endpoint: place.endpoint,
    uploadUrl: uploadUrl ?? null,
    chunkSize: CHUNK_BYTES,
    retryDelays: null,
    // The photo's own id tells where it goes on.
    storeFingerprintForResuming: false,
    headers: { 'x-upsert': 'false' },
    metadata: {
      bucketName: place.bucket,
      objectName: name,
      contentType: blob.type,
      cacheControl: '3600',
    },
    async onBeforeRequest(request: HttpRequest) {
      for (const [name, value] of Object.entries(await place.headers())) request.setHeader(name, value);
    },
    onAfterResponse: (_request: HttpRequest, response: HttpResponse) => {
      heard();
      // What cannot be asked now is there still: else the client would begin anew.
      if (isForNow(response.getStatus())) throw new Refused(refusal('unavailable'));
    },
    onUploadUrlAvailable: () => {
      if (upload.url) ears.begun(upload.url);
    },
    onProgress(sent, total) {
      heard();
      ears.progress(total ? sent / total : 0);
    },
    onSuccess: () => ended.resolve(),
    onError: (error) => ended.reject(error),
  });

  signal.addEventListener('abort', lost);
  heard();
  try {
    upload.start();
    await ended.promise;
  } catch (error) {
    // Before it is stopped: an answer that is stopped says nothing any more.
    const refused = refusedBy(error);
    void upload.abort();
    if (refused.refusal.code === 'signed_out') place.forget?.();
    throw refused;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', lost);
  }
}

const isForNow = (status: number) => status >= 500 || status === 429 || status === 423;

const CODES: Record<number, Code> = {
  400: 'forbidden',
  401: 'signed_out',
  403: 'forbidden',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_media',
};

/** What stopped an upload. Whatever has no meaning of its own is the line's fault, or the server's for now. */
function refusedBy(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof DetailedError)) return new Refused(refusal('unavailable'));
  if (error.causingError instanceof Refused) return error.causingError;
  const answer = error.originalResponse;
  const code = CODES[answer?.getStatus() ?? 0] ?? 'unavailable';
  // The other 409: what an earlier request has sent was still on its way when the server said how far it is.
  const isElsewhere = code === 'conflict' && !answer?.getBody().includes('already exists');
  return new Refused(refusal(isElsewhere ? 'unavailable' : code));
}
