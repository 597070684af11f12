import { LIMITS } from '../../lib/domain/limits.ts';
import { PHOTO_TYPES } from '../../lib/domain/photos.ts';
import { Refused, refusal } from '../../lib/i18n/refusals.ts';

/** A photo as it goes out. Where the browser could not read it, it has no size and nothing to show. */
export type Shrunk = {
  blob: Blob;
  width: number | null;
  height: number | null;
  /** A small picture of it, as a data address: it needs no permission of the page and no clearing away. */
  preview: string | null;
};

/** The longest side of what goes out, in pixels: the widest print (specification, section 9). */
const LONGEST = 1600;
/** What it is usually to be below (specification, section 9). */
const USUAL_BYTES = 250_000;
/** Tried in this order until that is so; the last stands as it is. */
const QUALITIES = [0.8, 0.7, 0.6, 0.5];

/** The longest side of the preview: as wide as a phone. */
const PREVIEW = 640;
const PREVIEW_QUALITY = 0.6;

/**
 * Makes a chosen file small enough for a bad line. Drawing it anew leaves behind where and with what it was taken.
 * What the browser cannot read goes as it is, for the server to look at.
 * @throws Refused `too_large` or `unsupported_media`
 */
export async function shrink(file: Blob): Promise<Shrunk> {
  if (file.size > LIMITS.photo_bytes) throw new Refused(refusal('too_large'));
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null);
  if (!bitmap) return asItIs(file);
  try {
    const { canvas, blob } = await encoded(bitmap);
    return {
      blob,
      width: canvas.width,
      height: canvas.height,
      preview: await address(await encodedAs(drawn(bitmap, PREVIEW), blob.type, PREVIEW_QUALITY)),
    };
  } catch {
    // No canvas outside the page, or not enough memory for it.
    return asItIs(file);
  } finally {
    bitmap.close();
  }
}

/** A file that is left to the server. @throws Refused `unsupported_media` */
export function asItIs(file: Blob): Shrunk {
  if (!PHOTO_TYPES.includes(file.type)) throw new Refused(refusal('unsupported_media'));
  return { blob: file, width: null, height: null, preview: null };
}

async function encoded(bitmap: ImageBitmap): Promise<{ canvas: OffscreenCanvas; blob: Blob }> {
  const canvas = drawn(bitmap, LONGEST);
  const type = await bestType(canvas);
  let blob = new Blob();
  for (const quality of QUALITIES) {
    blob = await encodedAs(canvas, type, quality);
    if (blob.size <= USUAL_BYTES) break;
  }
  return { canvas, blob };
}

/** A browser that cannot write WebP writes PNG in its place, which is many times as large. */
async function bestType(canvas: OffscreenCanvas): Promise<string> {
  const probe = new OffscreenCanvas(1, 1);
  probe.getContext('2d')?.drawImage(canvas, 0, 0, 1, 1);
  return (await encodedAs(probe, 'image/webp', 0.5)).type === 'image/webp' ? 'image/webp' : 'image/jpeg';
}

const encodedAs = (canvas: OffscreenCanvas, type: string, quality: number) =>
  canvas.convertToBlob({ type, quality });

/** The picture at most so long, never larger than it is, on white: a JPEG knows nothing of what can be seen through. */
function drawn(bitmap: ImageBitmap, longest: number): OffscreenCanvas {
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
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

function address(blob: Blob): Promise<string> {
  const reader = new FileReader();
  const read = Promise.withResolvers<string>();
  reader.onload = () => read.resolve(String(reader.result));
  reader.onerror = () => read.reject(reader.error);
  reader.readAsDataURL(blob);
  return read.promise;
}
