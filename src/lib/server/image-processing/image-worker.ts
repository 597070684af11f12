import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import { LIMITS } from '../../domain/limits.ts';
import { type Rendition, renditionSizes } from '../../domain/photos.ts';

/** Result of processing: the renditions, each in a file named by its width, and the dominant colour as `#rrggbb`. */
export type ProcessedPhoto = { renditions: Rendition[]; placeholder_colour: string };
export type RefusedPhoto = { refusal: 'too_large' | 'unsupported_media' };

/**
 * A report of a worker: `started` once its libraries are loaded, then the result, or `failed` after an error that the
 * photo did not cause.
 */
export type WorkerReport = 'started' | 'failed' | ProcessedPhoto | RefusedPhoto;

/** WebP quality, 0 to 100. A landscape 1600 pixels wide takes 150 to 250 KB. */
const QUALITY = 75;
/** Background of transparent images, as in most programs. On a dark page black lines would be invisible. */
const BACKGROUND = '#fff';

// Allows only the decoders of supported formats, whatever format a file claims.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadHeif'],
});
sharp.cache(false);
sharp.concurrency(1);

/**
 * Maximum width and height in pixels, the limit of JPEG. A single row of 50 million pixels would cost ten times as much
 * as a square.
 */
const MAX_SIDE = 65_535;

/** Reads only the first image. Truncated files fail; small encoding errors of cameras do not. */
const INPUT = { failOn: 'error', limitInputPixels: LIMITS.photo_pixels, pages: 1 } as const;

/**
 * Creates the renditions of a photo: upright, in sRGB, without metadata.
 * @param folder receives the renditions
 * @throws errors that the photo did not cause
 */
export async function createRenditions(file: string, folder: string): Promise<ProcessedPhoto | RefusedPhoto> {
  const head = await readHead(file);
  if ('refusal' in head) return head;
  const sizes = renditionSizes(head);
  const { width, height } = sizes.at(-1) ?? head;
  const unpacked = await sharp(file, INPUT)
    .autoOrient()
    .resize({ width, height, fit: 'fill' })
    .flatten({ background: BACKGROUND })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => null);
  if (!unpacked) return UNSUPPORTED;

  const largest = () => sharp(unpacked.data, { raw: unpacked.info });
  const renditions: Rendition[] = [];
  for (const size of sizes) {
    const path = join(folder, String(size.width));
    await largest()
      .resize({ ...size, fit: 'fill' })
      .webp({ quality: QUALITY })
      .toFile(path);
    renditions.push({ ...size, bytes: (await stat(path)).size });
  }
  return {
    renditions,
    placeholder_colour: await colourOf(await largest().resize({ width: 48 }).png().toBuffer()),
  };
}

const UNSUPPORTED = { refusal: 'unsupported_media' } as const;

/** The size of the upright photo, or the reason to refuse it. */
async function readHead(file: string): Promise<{ width: number; height: number } | RefusedPhoto> {
  const head = await sharp(file, { ...INPUT, limitInputPixels: false })
    .metadata()
    .catch(() => null);
  if (!head || !isPhoto(head)) return UNSUPPORTED;
  const { width, height } = head.autoOrient;
  const isTooLarge = width * height > LIMITS.photo_pixels || Math.max(width, height) > MAX_SIDE;
  return isTooLarge ? { refusal: 'too_large' } : { width, height };
}

/** AVIF is the only supported format in an HEIF container. */
function isPhoto({ format, compression }: Metadata): boolean {
  return format === 'heif' ? compression === 'av1' : format !== undefined;
}

async function colourOf(picture: Buffer): Promise<string> {
  const { dominant } = await sharp(picture).stats();
  const hex = (part: number) => part.toString(16).padStart(2, '0');
  return `#${hex(dominant.r)}${hex(dominant.g)}${hex(dominant.b)}`;
}

/** An AVIF of 50 megapixels, the most expensive case, took 970 MB; most photos take a tenth. */
const MAX_MEMORY_BYTES = 1_100 * 1024 * 1024;
/** CPU time in seconds. 50 megapixels take three. Wall-clock time can be a hundred on a busy server. */
const MAX_CPU_S = 30;
const CHECK_MS = 50;

/**
 * Runs this module as a process without keys or addresses that processes one photo, so that a hostile file can break
 * only this process. It runs at low priority and is the first to be killed when memory is short.
 */
async function runWorker(): Promise<void> {
  const [file = '', folder = ''] = process.argv.slice(2);
  const report = (result: WorkerReport) => process.send?.(result, () => process.exit(0));
  process.send?.('started' satisfies WorkerReport);

  process.on('disconnect', () => process.exit(1));
  setPriority(10);
  try {
    // Exists on Linux only.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {}
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const isTooMuch = process.memoryUsage.rss() > MAX_MEMORY_BYTES || user + system > MAX_CPU_S * 1_000_000;
    if (isTooMuch) report({ refusal: 'too_large' });
  }, CHECK_MS);

  report(await createRenditions(file, folder).catch((): WorkerReport => 'failed'));
}

if (import.meta.main) await runWorker();
