import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { type PhotoBucket, readRendition } from '../data/photo-objects.server.ts';
import type { BackendClient } from '../data/result.ts';
import type { Rendition } from '../domain/photos.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused } from '../i18n/refusals.ts';
import {
  type ExportRow,
  exportReadme,
  exportRows,
  type PartStatistics,
  type StartedExport,
} from '../publishing/site-export.ts';
import { logInternalError } from './responses.ts';

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

/** A stream that reads the next chunk when the previous one was received. */
function withBackpressure(source: Readable, drained: () => Promise<void>): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        await drained();
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

async function fill(messages: Messages, archive: Pack, contents: ExportContents): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-export-'));
  try {
    const counted: PartStatistics[] = [];
    for (const part of contents.parts) counted.push(await addPart(archive, folder, part, contents));
    const photos = await addPhotos(archive, contents);
    await addText(archive, 'README.txt', exportReadme(messages, contents.site, counted, photos));
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

/** Adds the largest rendition of each photo. @returns their number, and the ids of unreadable ones */
async function addPhotos(
  archive: Pack,
  contents: ExportContents,
): Promise<{ count: number; missing: string[] }> {
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

/** The permission was checked when the page with this photo was read. */
async function readLargest(row: ExportRow, width: number): Promise<Buffer | undefined> {
  try {
    return Buffer.from(await readRendition(row.bucket as PhotoBucket, String(row.id), width));
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

const addText = (archive: Pack, name: string, text: string) => addBytes(archive, name, Buffer.from(text));

async function addBytes(archive: Pack, name: string, bytes: Buffer): Promise<void> {
  await pipeline(Readable.from([bytes], { objectMode: false }), archive.entry({ name, size: bytes.length }));
}
