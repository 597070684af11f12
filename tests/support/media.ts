import { randomBytes, randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { type MediaFileState, type MediaFormat, typeOfFormat } from '../../src/lib/domain/media-files.ts';
import { call, type Newsroom } from './newsroom.ts';
import type { TestSite } from './site.ts';

const ascii = (text: string) => Buffer.from(text, 'latin1');

/** The first bytes of files of each format, as encoders write them. */
export const HEADS: Record<MediaFormat, Buffer> = {
  mp4: ascii('\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41'),
  m4a: ascii('\x00\x00\x00\x20ftypM4A \x00\x00\x02\x00M4A mp42isom\x00\x00\x00\x00'),
  webm: ascii(
    '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm',
  ),
  mp3: ascii('ID3\x03\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x64'),
};

/** Creates bytes that begin as a file of the format and cannot be played. */
export const makeMedia = (format: MediaFormat, size = 40_000): Buffer =>
  Buffer.concat([HEADS[format], randomBytes(size - HEADS[format].length)]);

/** Registers a file. @returns its id */
export async function registerMedia(
  client: SupabaseClient,
  coverage_id: string,
  format: MediaFormat = 'mp4',
  seconds?: number,
): Promise<string> {
  const file_id = randomUUID();
  await call(client, 'save_media_file', { file_id, coverage_id, format, ...(seconds && { seconds }) });
  return file_id;
}

export const uploadMedia = (
  client: SupabaseClient,
  id: string,
  bytes: Buffer,
  contentType = 'video/mp4',
  more: object = {},
) => client.storage.from('media').upload(id, bytes, { contentType, ...more });

/** Asks the site to check a file, as the sending device does. */
export async function checkMedia({ url }: Pick<TestSite, 'url'>, id: string): Promise<MediaFileState> {
  const response = await fetch(`${url}/api/media/${id}`, { method: 'POST', headers: { origin: url } });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as MediaFileState;
}

/** Adds a checked file as the reporter. @returns its block, its path and its bytes */
export async function addMedia(
  site: Pick<TestSite, 'url'>,
  { people, coverage }: Newsroom,
  {
    format = 'mp4',
    seconds,
    bytes = makeMedia(format),
  }: { format?: MediaFormat; seconds?: number; bytes?: Buffer } = {},
): Promise<{ id: string; path: string; block: Block; bytes: Buffer }> {
  const { client } = people.reporter;
  const id = await registerMedia(client, coverage.id, format, seconds);
  const { error } = await uploadMedia(client, id, bytes, typeOfFormat(format));
  if (error) throw error;
  const { path, state } = await checkMedia(site, id);
  if (!path) throw new Error(`The file is ${state}.`);
  return { id, path, bytes, block: fileBlock(path) };
}

/** A media block of a file. */
export const fileBlock = (url: string, more: object = {}): Block => ({
  type: 'media',
  url,
  title: 'The bridge',
  description: 'It fell.\nAt noon.',
  ...more,
});
