import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { call, type Newsroom } from './newsroom.ts';
import type { TestSite } from './site.ts';

/** Creates a JPEG photo of one colour. */
export function makePhoto(width = 1700, height = 1000): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#28406a' } })
    .jpeg()
    .toBuffer();
}

/** Creates a PNG of 49 megapixels, near the limit. Its processing takes seconds. */
export function makeSlowPhoto(): Promise<Buffer> {
  return sharp({ create: { width: 7_000, height: 7_000, channels: 3, background: '#28406a' } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

export const ALT = 'The river at the third step of the quay';

/** Announces a photo with its texts as the reporter. @returns its id */
export async function announcePhoto(
  { people, coverage }: Newsroom,
  alt: string | null = ALT,
): Promise<string> {
  const photo_id = randomUUID();
  const content = { alt, caption: 'Harrow Bridge at noon', credit: 'A. Reporter' };
  await call(people.reporter.client, 'save_photo', { photo_id, coverage_id: coverage.id, content });
  return photo_id;
}

/** Uploads bytes as an announced photo. */
export async function uploadPhoto(
  { people }: Newsroom,
  id: string,
  bytes: Buffer | string,
  contentType = 'image/jpeg',
): Promise<void> {
  const { error } = await people.reporter.client.storage
    .from('photos')
    .upload(`incoming/${id}`, bytes, { contentType });
  if (error) throw error;
}

/** Asks the site to process a photo, as the sending device does. */
export function processPhoto({ url }: Pick<TestSite, 'url'>, id: string): Promise<Response> {
  return fetch(`${url}/api/photos/${id}`, { method: 'POST', headers: { origin: url } });
}

/** Adds a processed photo. @returns its id and its block */
export async function addPhoto(
  site: Pick<TestSite, 'url'>,
  newsroom: Newsroom,
  alt = ALT,
): Promise<{ id: string; block: Block }> {
  const id = await announcePhoto(newsroom, alt);
  await uploadPhoto(newsroom, id, await makePhoto());
  const answer = await processPhoto(site, id);
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return { id, block: { type: 'photo', photo: id } };
}

/** The smallest PNG: one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
