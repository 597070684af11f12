import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { call, type Newsroom } from './newsroom.ts';
import type { TestSite } from './site.ts';

/** A photo as a camera makes it, of one colour. */
export function makePhoto(width = 1700, height = 1000): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#28406a' } })
    .jpeg()
    .toBuffer();
}

export const ALT = 'The river at the third step of the quay';

/** Says of a new photo what it shows, as the reporter, and answers its id. */
export async function announcePhoto(
  { people, coverage }: Newsroom,
  alt: string | null = ALT,
): Promise<string> {
  const photo_id = randomUUID();
  const content = { alt, caption: 'Harrow Bridge at noon', credit: 'A. Reporter' };
  await call(people.reporter.client, 'save_photo', { photo_id, coverage_id: coverage.id, content });
  return photo_id;
}

/** Uploads what is announced, whatever it is. */
export async function uploadPhoto({ people }: Newsroom, id: string, bytes: Buffer | string): Promise<void> {
  const { error } = await people.reporter.client.storage
    .from('photos')
    .upload(`incoming/${id}`, bytes, { contentType: 'image/jpeg' });
  if (error) throw error;
}

/** Asks the site to look at a photo now, as the device does that sent it. */
export function processPhoto({ url }: Pick<TestSite, 'url'>, id: string): Promise<Response> {
  return fetch(`${url}/api/photos/${id}`, { method: 'POST', headers: { origin: url } });
}

/** A photo that is ready, and its block. */
export async function addPhoto(
  site: Pick<TestSite, 'url'>,
  newsroom: Newsroom,
): Promise<{ id: string; block: Block }> {
  const id = await announcePhoto(newsroom);
  await uploadPhoto(newsroom, id, await makePhoto());
  const answer = await processPhoto(site, id);
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return { id, block: { type: 'photo', photo: id } };
}

/** The smallest PNG that there is: one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
