import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import { LIMITS } from '../../domain/limits.ts';
import { type Rendition, renditionSizes } from '../../domain/photos.ts';

/** What is made of a photo: its prints, each in a file named by its width, and its dominant colour, `#rrggbb`. */
export type Developed = { prints: Rendition[]; colour: string };
export type Undeveloped = { refusal: 'too_large' | 'unsupported_media' };

/** Of 100: a landscape of 1600 pixels takes some 150 to 250 KB. */
const QUALITY = 75;
/** Behind what is transparent, as in most programs: black lines would be lost on a dark page. */
const BEHIND = '#fff';

// Whatever a file says that it is, no other program for pictures is let near it.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadHeif'],
});
sharp.cache(false);
sharp.concurrency(1);

/** Of either side, in pixels: what JPEG knows. A line of 50 million pixels costs ten times as much as a picture of as many. */
const LONGEST_SIDE = 65_535;

/** The first picture where there are several. What ends too early is no photo; small faults of cameras are passed over. */
const INPUT = { failOn: 'error', limitInputPixels: LIMITS.photo_pixels, pages: 1 } as const;

/**
 * Makes the prints of the photo in a file: upright, in sRGB, and with nothing else that was in the file.
 * @param folder where the prints are put
 * @throws what is not the photo's fault
 */
export async function develop(file: string, folder: string): Promise<Developed | Undeveloped> {
  const head = await readHead(file);
  if ('refusal' in head) return head;
  const sizes = renditionSizes(head);
  const { width, height } = sizes.at(-1) ?? head;
  const unpacked = await sharp(file, INPUT)
    .autoOrient()
    .resize({ width, height, fit: 'fill' })
    .flatten({ background: BEHIND })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => null);
  if (!unpacked) return UNSUPPORTED;

  const largest = () => sharp(unpacked.data, { raw: unpacked.info });
  const prints: Rendition[] = [];
  for (const size of sizes) {
    const path = join(folder, String(size.width));
    await largest()
      .resize({ ...size, fit: 'fill' })
      .webp({ quality: QUALITY })
      .toFile(path);
    prints.push({ ...size, bytes: (await stat(path)).size });
  }
  return { prints, colour: await colourOf(await largest().resize({ width: 48 }).png().toBuffer()) };
}

const UNSUPPORTED = { refusal: 'unsupported_media' } as const;

/** The size of the upright photo, or why it is none. */
async function readHead(file: string): Promise<{ width: number; height: number } | Undeveloped> {
  const head = await sharp(file, { ...INPUT, limitInputPixels: false })
    .metadata()
    .catch(() => null);
  if (!head || !isPhoto(head)) return UNSUPPORTED;
  const { width, height } = head.autoOrient;
  const isTooLarge = width * height > LIMITS.photo_pixels || Math.max(width, height) > LONGEST_SIDE;
  return isTooLarge ? { refusal: 'too_large' } : { width, height };
}

/** AVIF is the one kind of its container that is wanted. */
function isPhoto({ format, compression }: Metadata): boolean {
  return format === 'heif' ? compression === 'av1' : format !== undefined;
}

async function colourOf(picture: Buffer): Promise<string> {
  const { dominant } = await sharp(picture).stats();
  const hex = (part: number) => part.toString(16).padStart(2, '0');
  return `#${hex(dominant.r)}${hex(dominant.g)}${hex(dominant.b)}`;
}

const PROGRAM = resolve(import.meta.dirname, 'worker-process.ts');

/** By the clock. How much it computes, the process watches itself: readers go before it. */
const LONGEST_MS = 180_000;

/**
 * Makes the prints of the photo in a file, in a process that lives for it alone.
 * @param folder where the prints are put
 * @param longest milliseconds
 * @returns null when that process broke or took too long
 */
export async function developApart(
  file: string,
  folder: string,
  longest = LONGEST_MS,
): Promise<Developed | Undeveloped | null> {
  const { PATH, TMPDIR } = process.env;
  const child = fork(PROGRAM, [file, folder], {
    // Keys and addresses stand in ours.
    env: { PATH, TMPDIR },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    signal: AbortSignal.timeout(longest),
    killSignal: 'SIGKILL',
  });
  let result: Developed | Undeveloped | null = null;
  child.once('message', (message) => {
    result = message as Developed | Undeveloped;
  });
  // An abort is told as an error, before the end.
  child.on('error', () => {});
  await once(child, 'close').catch(() => once(child, 'close'));
  return result;
}
