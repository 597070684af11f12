import { join } from 'node:path';
import sharp from 'sharp';
import { type Rendition, renditionSizes } from '../../domain/photos.ts';
import { ILLUSTRATION_SIZE } from './drawing.ts';
import { ILLUSTRATIONS, type IllustrationName } from './illustrations.ts';

/* Draws the demo's photos in a process of its own, while the backend starts: the server's process does not read SVG.
   Writes each rendition to FOLDER/NAME-WIDTH and sends their sizes. */
const [folder = ''] = process.argv.slice(2);
/** WebP quality, 0 to 100, and effort, 0 to 6. Flat shapes stay small at both. */
const WEBP = { quality: 75, effort: 2 };

export type DrawnPhotos = Record<IllustrationName, Rendition[]>;

async function draw(name: IllustrationName): Promise<Rendition[]> {
  const drawn = await sharp(Buffer.from(ILLUSTRATIONS[name]().svg))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const renditions: Rendition[] = [];
  for (const size of renditionSizes(ILLUSTRATION_SIZE)) {
    const { size: bytes } = await sharp(drawn.data, { raw: drawn.info })
      .resize({ ...size, fit: 'fill' })
      .webp(WEBP)
      .toFile(join(folder, `${name}-${size.width}`));
    renditions.push({ ...size, bytes });
  }
  return renditions;
}

const photos = {} as DrawnPhotos;
for (const name of Object.keys(ILLUSTRATIONS) as IllustrationName[]) photos[name] = await draw(name);
process.send?.(photos, () => process.exit(0));
