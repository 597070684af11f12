import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { setTimeout } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { siteUrl } from '../data/environment.ts';
import { openMediaObject } from '../data/media-objects.server.ts';
import { type PhotoBucket, readRendition } from '../data/photo-objects.server.ts';
import { type BackendClient, dataOf } from '../data/result.ts';
import type { Json } from '../domain/database.types.ts';
import type { Rendition } from '../domain/photos.ts';
import { machineTime } from '../domain/time.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused } from '../i18n/refusals.ts';
import { logInternalError, withBackpressure } from './responses.ts';

/** What an export contains: the parts that `beginExport` named. */
type ExportContents = StartedExport & { backend: BackendClient; site: string };

/**
 * Streams the archive while it is created, with a page of rows or one photo in memory. It stops when the client
 * disconnects, and leaves no files.
 * @param drained resolves when the client has received the previous chunk
 */
export function archiveOf(
  messages: Messages,
  contents: ExportContents,
  drained: () => Promise<void> = async () => {},
): ReadableStream<Uint8Array> {
  const archive = pack();
  const compressed = createGzip();
  // An aborted download is not an error. Errors while writing are handled below.
  pipeline(archive, compressed).catch(() => {});
  fill(messages, archive, contents).catch((error) => {
    if (!archive.destroyed && !compressed.destroyed) logInternalError(error);
    archive.destroy();
    compressed.destroy(error);
  });
  return withBackpressure(compressed, drained);
}

async function fill(messages: Messages, archive: Pack, contents: ExportContents): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-export-'));
  try {
    const counted: PartStatistics[] = [];
    for (const part of contents.parts) counted.push(await addPart(archive, folder, part, contents));
    const photos = await addPhotos(archive, contents);
    const media = await addMedia(archive, contents);
    await addText(archive, 'README.txt', exportReadme(messages, contents.site, counted, { photos, media }));
    archive.finalize();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A tar header contains the size of the file, so the part is written to the disk first. */
async function addPart(
  archive: Pack,
  folder: string,
  part: string,
  contents: ExportContents,
): Promise<PartStatistics> {
  const file = join(folder, part);
  const counted: PartStatistics = { part, rows: 0, fields: [] };
  await pipeline(linesOf(archive, part, contents, counted), createWriteStream(file));
  const { size } = await stat(file);
  const entry = archive.entry({ name: `${part}.jsonl`, size });
  await pipeline(createReadStream(file), entry);
  await rm(file);
  return counted;
}

async function* linesOf(archive: Pack, part: string, contents: ExportContents, counted: PartStatistics) {
  for await (const row of exportRows(contents.backend, part, contents)) {
    if (archive.destroyed) throw new Disconnected();
    if (counted.rows === 0) counted.fields = Object.keys(row);
    counted.rows++;
    yield `${JSON.stringify(row)}\n`;
  }
}

/** The client has disconnected. */
class Disconnected extends Error {}

/** Number of added files of a kind, and the ids of unreadable ones. */
type AddedFiles = { count: number; missing: string[] };

/** Adds the largest rendition of each photo. */
async function addPhotos(archive: Pack, contents: ExportContents): Promise<AddedFiles> {
  const missing: string[] = [];
  let count = 0;
  for await (const row of exportRows(contents.backend, 'photos', contents)) {
    if (archive.destroyed) throw new Disconnected();
    const largest = (row.renditions as Rendition[]).at(-1);
    if (!largest) continue;
    const bytes = await readLargest(row, largest.width);
    if (!bytes) {
      missing.push(String(row.id));
      continue;
    }
    await addBytes(archive, `photos/${row.id}.webp`, bytes);
    count++;
  }
  return { count, missing };
}

/** Adds the video and audio files, one after the other, without holding one in memory. */
async function addMedia(archive: Pack, contents: ExportContents): Promise<AddedFiles> {
  const missing: string[] = [];
  let count = 0;
  for await (const { id, format, bytes, ready_at } of exportRows(contents.backend, 'media_files', contents)) {
    if (archive.destroyed) throw new Disconnected();
    if (!ready_at) continue;
    const file = await orMissing(openMediaObject(String(id)));
    if (!file) {
      missing.push(String(id));
      continue;
    }
    const entry = archive.entry({ name: `media/${id}.${format}`, size: Number(bytes) });
    await pipeline(Readable.fromWeb(file as WebStream), entry);
    count++;
  }
  return { count, missing };
}

/**
 * Reads the largest rendition of a photo; undefined if it is missing. The permission was checked when the page with this
 * photo was read.
 * @throws Refused if the backend is not available, which ends the export
 */
async function readLargest(row: ExportRow, width: number): Promise<Buffer | undefined> {
  const bytes = await orMissing(readRendition(row.bucket as PhotoBucket, String(row.id), width));
  return bytes && Buffer.from(bytes);
}

async function orMissing<Read>(read: Promise<Read>): Promise<Read | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Refused && error.refusal.code === 'not_found') return undefined;
    throw error;
  }
}

const addText = (archive: Pack, name: string, text: string) => addBytes(archive, name, Buffer.from(text));

async function addBytes(archive: Pack, name: string, bytes: Buffer): Promise<void> {
  await pipeline(Readable.from([bytes], { objectMode: false }), archive.entry({ name, size: bytes.length }));
}

type ExportRow = Record<string, Json>;

/** Personal data to include in the export. */
type SiteExportOptions = { tips: boolean; addresses: boolean };

/** Primary key columns of each part; `id` for all others. */
const KEYS: Record<string, string[]> = {
  site: ['here'],
  site_images: ['name'],
  coverage_slugs: ['slug'],
  coverage_topics: ['coverage_id', 'topic_id'],
  coverage_members: ['coverage_id', 'person_id'],
  coverage_revisions: ['coverage_id', 'version'],
  update_bylines: ['update_id', 'person_id'],
  update_photos: ['update_id', 'photo_id'],
  update_media: ['update_id', 'file_id'],
  update_revisions: ['update_id', 'version'],
  coverage_changes: ['coverage_id', 'seq'],
};
const keyOf = (part: string): string[] => KEYS[part] ?? ['id'];

/** A recorded export: its key for reading pages, and its parts in order. */
type StartedExport = { idempotency_key: string; parts: string[] };

/**
 * Starts an export with the owner's permissions, and records it in the audit log.
 * @throws Refused `forbidden` unless the caller is an owner
 */
export async function beginExport(
  backend: BackendClient,
  { tips, addresses }: SiteExportOptions,
): Promise<StartedExport> {
  const idempotency_key = crypto.randomUUID();
  const started = await dataOf(backend.rpc('begin_export', { idempotency_key, tips, addresses }));
  return { idempotency_key, parts: (started as Pick<StartedExport, 'parts'>).parts };
}

/** A long export uses up the rate limit of its owner. The limit allows 30 requests a second. */
const RATE_LIMIT_PAUSE_MS = 1_000;
const MAX_RATE_LIMIT_MS = 60_000;

async function waitOutRateLimit(readPage: () => Promise<unknown>): Promise<ExportRow[]> {
  const deadline = performance.now() + MAX_RATE_LIMIT_MS;
  for (;;) {
    try {
      return (await readPage()) as ExportRow[];
    } catch (error) {
      const isLimited = error instanceof Refused && error.refusal.code === 'rate_limited';
      if (!isLimited || performance.now() > deadline) throw error;
      await setTimeout(RATE_LIMIT_PAUSE_MS);
    }
  }
}

/** Reads the rows of a part with one page in memory at a time. The database checks the permission for every page. */
export async function* exportRows(
  backend: BackendClient,
  part: string,
  { idempotency_key }: Pick<StartedExport, 'idempotency_key'>,
): AsyncGenerator<ExportRow> {
  for (let after: ExportRow | undefined; ; ) {
    const rows = await waitOutRateLimit(() =>
      dataOf(backend.rpc('export_page', { export: idempotency_key, part, ...(after && { after }) })),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield* rows;
    after = Object.fromEntries(keyOf(part).map((column) => [column, last[column] ?? null]));
  }
}

/** Statistics of a part of the archive. */
type PartStatistics = { part: string; rows: number; fields: string[] };

/** Returns the text of the archive's README: the content, size and fields of each file. */
function exportReadme(
  messages: Messages,
  site: string,
  parts: PartStatistics[],
  { photos, media }: { photos: AddedFiles; media: AddedFiles },
  now = new Date(),
): string {
  const { readme } = messages.takeaway;
  const number = new Intl.NumberFormat(messages.language);
  const files = parts.map(({ part, rows, fields }) => {
    const names = fields.length > 0 ? fields.join(', ') : readme.none;
    const description = readme.part(`${part}.jsonl`, readme.rows(rows, number.format(rows)), names);
    return `${readme.parts[part] ?? ''}\n${description}`;
  });
  const unread = [...photos.missing, ...media.missing];
  const missing = unread.length > 0 ? [`${readme.missing}\n${unread.join('\n')}`] : [];
  return `${[
    readme.head(site, siteUrl('/'), machineTime(now)),
    readme.how,
    readme.notBackup,
    ...files,
    `photos/: ${readme.photos(photos.count, number.format(photos.count))}.`,
    `media/: ${readme.media(media.count, number.format(media.count))}.`,
    ...missing,
  ].join('\n\n')}\n`;
}
