import { LIMITS } from '../../lib/domain/limits.ts';
import { PHOTO_TYPES } from '../../lib/domain/photos.ts';
import { Refused } from '../../lib/i18n/refusals.ts';

/** A photo to upload. Without dimensions and preview when the browser could not read it. */
export type ShrunkPhoto = {
  blob: Blob;
  width: number | null;
  height: number | null;
  /** A small preview as a data URL, which needs no permission and no cleanup. */
  preview: string | null;
};

/** Longest side in pixels: the widest rendition (specification, section 9). */
const MAX_SIDE = 1600;
/** Target size (specification, section 9). */
const TARGET_BYTES = 250_000;
/** Qualities tried in order until the target size is reached; the last one is used as it is. */
const QUALITIES = [0.8, 0.7, 0.6, 0.5];

/** Longest side of the preview: the width of a phone. */
const PREVIEW_SIDE = 640;
const PREVIEW_QUALITY = 0.6;

/**
 * Shrinks a file for a slow connection. Redrawing removes metadata such as the location. Unreadable files are returned
 * unchanged for the server.
 * @throws Refused `too_large` or `unsupported_media`
 */
export async function shrink(file: Blob): Promise<ShrunkPhoto> {
  if (file.size > LIMITS.photo_bytes) throw new Refused('too_large');
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null);
  if (!bitmap) return unchanged(file);
  try {
    const { canvas, blob } = await encode(bitmap);
    return {
      blob,
      width: canvas.width,
      height: canvas.height,
      preview: await dataUrl(await encodeAs(drawOn(bitmap, PREVIEW_SIDE), blob.type, PREVIEW_QUALITY)),
    };
  } catch {
    // OffscreenCanvas is missing, or memory is short.
    return unchanged(file);
  } finally {
    bitmap.close();
  }
}

/**
 * A file for the server to process.
 * @throws Refused `unsupported_media`
 */
export function unchanged(file: Blob): ShrunkPhoto {
  if (!PHOTO_TYPES.includes(file.type)) throw new Refused('unsupported_media');
  return { blob: file, width: null, height: null, preview: null };
}

async function encode(bitmap: ImageBitmap): Promise<{ canvas: OffscreenCanvas; blob: Blob }> {
  const canvas = drawOn(bitmap, MAX_SIDE);
  const type = await bestType(canvas);
  let blob = new Blob();
  for (const quality of QUALITIES) {
    blob = await encodeAs(canvas, type, quality);
    if (blob.size <= TARGET_BYTES) break;
  }
  return { canvas, blob };
}

/** A browser that cannot write WebP writes PNG instead, which is many times larger. */
async function bestType(canvas: OffscreenCanvas): Promise<string> {
  const probe = new OffscreenCanvas(1, 1);
  probe.getContext('2d')?.drawImage(canvas, 0, 0, 1, 1);
  return (await encodeAs(probe, 'image/webp', 0.5)).type === 'image/webp' ? 'image/webp' : 'image/jpeg';
}

const encodeAs = (canvas: OffscreenCanvas, type: string, quality: number) =>
  canvas.convertToBlob({ type, quality });

/** Draws the picture with at most this side, never enlarged, on white, because JPEG has no transparency. */
function drawOn(bitmap: ImageBitmap, maxSide: number): OffscreenCanvas {
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)));
  const canvas = new OffscreenCanvas(width ?? 1, height ?? 1);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser draws nothing.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function dataUrl(blob: Blob): Promise<string> {
  const reader = new FileReader();
  const read = Promise.withResolvers<string>();
  reader.onload = () => read.resolve(String(reader.result));
  reader.onerror = () => read.reject(reader.error);
  reader.readAsDataURL(blob);
  return read.promise;
}
