import { type Refusal, Refused, refusal } from '../../lib/http/errors.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { tips as messages } from '../../lib/text/tips.ts';
import { urlOf } from './tip-line.ts';
import type { PressedTip } from './tip-shelf.ts';

const lost = () => {
  throw new Refused(refusal('unavailable'));
};

/** Small enough for a bad line, and without the place where it was taken. @throws Refused, of the field `photo` */
export async function shrunk(file: File): Promise<Blob> {
  const { shrink } = await import('./photo-shrink.ts').catch(lost);
  try {
    return (await shrink(file)).blob;
  } catch (error) {
    throw error instanceof Refused ? new Refused(ofPhoto(error.refusal)) : error;
  }
}

/** What is wrong with a photo is said where it was chosen. */
function ofPhoto({ code }: Refusal): Refusal {
  const sentence =
    code === 'too_large' ? messages.problems.photoTooLarge : messages.refused.unsupported_media;
  return refusal(code, { field: 'photo', sentence });
}

/**
 * Brings a tip's photo to where the function has said, on from where an earlier try got to.
 * @throws Refused: `unavailable` when the line was lost, else it never will be there
 */
export async function bring(
  { photo, upload, uploadUrl }: Pick<PressedTip, 'photo' | 'upload' | 'uploadUrl'>,
  backend: BrowserBackend,
  ears: { begun(uploadUrl: string): void; progress(share: number): void },
  stop: AbortSignal,
): Promise<void> {
  if (!photo || !upload) return;
  const { upload: send } = await import('./photo-upload.ts').catch(lost);
  const place = {
    endpoint: `${urlOf(backend)}/storage/v1/upload/resumable/sign`,
    bucket: upload.bucket,
    headers: () => ({ apikey: backend.publishableKey, 'x-signature': upload.token }),
  };
  try {
    await send(
      { blob: photo.blob, name: upload.path, ...(uploadUrl ? { uploadUrl } : {}) },
      place,
      ears,
      stop,
    );
  } catch (error) {
    // An earlier try, whose answer was lost, has brought it.
    const isThere = error instanceof Refused && error.refusal.code === 'conflict';
    if (!isThere) throw error;
  }
}
