import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { LIMITS } from '../../domain/limits.ts';
import { PHOTO_WIDTHS, type Rendition } from '../../domain/photos.ts';
import { FOLDER } from '../../i18n/cli.ts';
import { renditionFile } from './format.ts';

/* Renditions in a folder are untrusted, because they are served unchanged. */

/** WebP chunks of a still picture. Others may contain metadata of a camera or a person. */
const CHUNKS = ['VP8 ', 'VP8L', 'VP8X', 'ALPH'];
const MAX_HEIGHT = 6_000;

/**
 * Reads a rendition.
 * @returns an error message if the file is not the picture that the data describes
 */
export async function readFolderRendition(
  folder: string,
  id: string,
  rendition: Rendition,
): Promise<Buffer | string> {
  const name = renditionFile(id, rendition.width);
  const path = join(folder, name);
  const file = await lstat(path).catch(() => null);
  if (!file) return FOLDER.missing(name);
  if (!file.isFile()) return FOLDER.noFile(name);
  if (rendition.bytes > LIMITS.photo_bytes || file.size !== rendition.bytes)
    return FOLDER.bytes(name, rendition.bytes);
  const bytes = await readFile(path);
  return (await matchesRendition(bytes, rendition))
    ? bytes
    : FOLDER.noPrint(name, rendition.width, rendition.height);
}

async function matchesRendition(bytes: Buffer, { width, height }: Rendition): Promise<boolean> {
  if (width > PHOTO_WIDTHS[2] || height > MAX_HEIGHT || !isPlainWebp(bytes)) return false;
  try {
    const picture = sharp(bytes, { failOn: 'warning', limitInputPixels: PHOTO_WIDTHS[2] * MAX_HEIGHT });
    const head = await picture.metadata();
    if (head.format !== 'webp' || head.width !== width || head.height !== height || (head.pages ?? 1) > 1)
      return false;
    // Decodes the whole picture, because a truncated file has valid metadata too.
    await picture.stats();
    return true;
  } catch {
    return false;
  }
}

/** Whether a file is a single complete WebP with known chunks only. */
function isPlainWebp(bytes: Buffer): boolean {
  const name = (at: number) => bytes.toString('latin1', at, at + 4);
  if (bytes.length < 20 || name(0) !== 'RIFF' || name(8) !== 'WEBP') return false;
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return false;
  let at = 12;
  while (at + 8 <= bytes.length) {
    if (!CHUNKS.includes(name(at))) return false;
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return at === bytes.length;
}
