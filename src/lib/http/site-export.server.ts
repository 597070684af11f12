import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { type Bucket, readPrint } from '../data/photo-objects.server.ts';
import type { Session } from '../data/session.server.ts';
import type { Rendition } from '../domain/photos.ts';
import { Refused } from '../i18n/refusals.ts';
import { type Begun, type Counted, type Row, readmeOf, rowsOf } from '../publishing/site-export.ts';
import { logFault } from './responses.ts';

type Backend = Session['backend'];

/** What is put into an archive: the parts that `beginExport` named. */
export type Contents = Begun & { backend: Backend; site: string };

/**
 * The archive as it is made, as fast as it is taken: a page of rows or one photo is in memory at a time. Whoever stops
 * taking it ends it, and nothing of it stays.
 * @param taken waits until what was given is on its way
 */
export function archiveOf(
  contents: Contents,
  taken: () => Promise<void> = async () => {},
): ReadableStream<Uint8Array> {
  const archive = pack();
  const zipped = createGzip();
  // A download that breaks off is its visitor's affair; why it cannot be made is ours.
  pipeline(archive, zipped).catch(() => {});
  fill(archive, contents).catch((error) => {
    if (!archive.destroyed && !zipped.destroyed) logFault(error);
    archive.destroy();
    zipped.destroy(error);
  });
  return asTaken(zipped, taken);
}

/** A stream that is read piece by piece, each when the one before is on its way. */
function asTaken(source: Readable, taken: () => Promise<void>): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        await taken();
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

async function fill(archive: Pack, contents: Contents): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-export-'));
  try {
    const counted: Counted[] = [];
    for (const part of contents.parts) counted.push(await addPart(archive, folder, part, contents));
    const photos = await addPhotos(archive, contents);
    await addText(archive, 'README.txt', readmeOf(contents.site, counted, photos));
    archive.finalize();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A tar says how long a file is before its first byte, so the lines are counted on disk. */
async function addPart(archive: Pack, folder: string, part: string, contents: Contents): Promise<Counted> {
  const file = join(folder, part);
  const counted: Counted = { part, rows: 0, fields: [] };
  await pipeline(linesOf(archive, part, contents, counted), createWriteStream(file));
  const { size } = await stat(file);
  const entry = archive.entry({ name: `${part}.jsonl`, size });
  await pipeline(createReadStream(file), entry);
  await rm(file);
  return counted;
}

async function* linesOf(archive: Pack, part: string, contents: Contents, counted: Counted) {
  for await (const row of rowsOf(contents.backend, part, contents)) {
    if (archive.destroyed) throw new Gone();
    if (counted.rows === 0) counted.fields = Object.keys(row);
    counted.rows++;
    yield `${JSON.stringify(row)}\n`;
  }
}

/** Nobody takes the archive any more. */
class Gone extends Error {}

/** The photos in their largest size. @returns how many there are, and the ids of those that could not be read */
async function addPhotos(archive: Pack, contents: Contents): Promise<{ count: number; missing: string[] }> {
  const missing: string[] = [];
  let count = 0;
  for await (const row of rowsOf(contents.backend, 'photos', contents)) {
    if (archive.destroyed) throw new Gone();
    const largest = (row.prints as Rendition[]).at(-1);
    if (!largest) continue;
    const bytes = await print(row, largest.width);
    if (!bytes) {
      missing.push(String(row.id));
      continue;
    }
    await addBytes(archive, `photos/${row.id}.webp`, bytes);
    count++;
  }
  return { count, missing };
}

/** The right was asked with the page that named it. */
async function print(row: Row, width: number): Promise<Buffer | undefined> {
  try {
    return Buffer.from(await readPrint(row.bucket as Bucket, String(row.id), width));
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

const addText = (archive: Pack, name: string, text: string) => addBytes(archive, name, Buffer.from(text));

async function addBytes(archive: Pack, name: string, bytes: Buffer): Promise<void> {
  await pipeline(Readable.from([bytes], { objectMode: false }), archive.entry({ name, size: bytes.length }));
}
