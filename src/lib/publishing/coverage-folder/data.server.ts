import { createWriteStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { renditionPath } from '../../data/photo-objects.server.ts';
import { type BackendClient, dataOf } from '../../data/result.ts';
import { LIMITS } from '../../domain/limits.ts';
import { MEDIA_BUCKET, mediaFileOf } from '../../domain/media-files.ts';
import { EXPORT } from '../../i18n/cli.ts';
import { Refused } from '../../i18n/refusals.ts';
import {
  CHANGES_FILE,
  COVERAGE_FILE,
  changeLine,
  type ExportedChange,
  type ExportedHead,
  type ExportedPhoto,
  type ExportedUpdate,
  exportedHead,
  headText,
  mediaFile,
  mediaPathsOf,
  renditionFile,
  UPDATES_FILE,
  updateLine,
} from './format.ts';

/* Reads the public data of a coverage from the database in pages. */

/** A photo and the bucket of its renditions. */
type PhotoInBucket = ExportedPhoto & { bucket: string };
type PublicCoverage = Omit<ExportedHead, 'format' | 'version' | 'photos'> & {
  photos: PhotoInBucket[];
};

/**
 * Reads a coverage with its photos.
 * @throws Refused if there is no such public coverage
 */
export async function readPublicCoverage(service: BackendClient, slug: string): Promise<PublicCoverage> {
  return (await dataOf(service.rpc('export_coverage', { slug }))) as PublicCoverage;
}

/** Reads the updates of a coverage by number. */
export const readExportedUpdates = (
  service: BackendClient,
  coverage_id: string,
): AsyncGenerator<ExportedUpdate> =>
  inPages(LIMITS.export_updates, async (after, most) => {
    const rows = await dataOf(service.rpc('export_coverage_updates', { coverage_id, after, max_rows: most }));
    return (rows as ExportedUpdate[]).map((update) => [update.number, update]);
  });

/** Reads the changes of a coverage by seq. */
export const readExportedChanges = (
  service: BackendClient,
  coverage_id: string,
): AsyncGenerator<ExportedChange> =>
  inPages(LIMITS.export_changes, async (after, most) => {
    const rows = await dataOf(service.rpc('export_coverage_changes', { coverage_id, after, max_rows: most }));
    return (rows as ExportedChange[]).map((change) => [change.seq, change]);
  });

/** Reads all rows with one page in memory at a time. Each page starts after the last row of the page before it. */
async function* inPages<Row>(
  most: number,
  readPage: (after: number, most: number) => Promise<[place: number, row: Row][]>,
): AsyncGenerator<Row> {
  let after = 0;
  for (;;) {
    const rows = await readPage(after, most);
    for (const [, row] of rows) yield row;
    const last = rows.at(-1);
    if (!last || rows.length < most) return;
    [after] = last;
  }
}

/** The files that pages of a folder refer to. */
export type ExportedFiles = {
  /** Photos with the widths of their renditions. */
  photos: { id: string; widths: number[] }[];
  /** Paths on the site of the video and audio files. */
  media: ReadonlySet<string>;
};

/** Number of attempts to read the data without a change in between. */
const MAX_ATTEMPTS = 5;

/**
 * Writes the public data of a coverage, with its history, into `data`, `photos` and `media` of a folder, as of one
 * moment.
 * @throws Refused if there is no such public coverage, or if it keeps changing
 */
export async function writeData(
  service: BackendClient,
  slug: string,
  folder: string,
): Promise<ExportedFiles> {
  await mkdir(join(folder, 'data'), { recursive: true });
  await mkdir(join(folder, 'photos'), { recursive: true });
  let coverageData = await readPublicCoverage(service, slug);
  for (let n = 0; n < MAX_ATTEMPTS; n += 1) {
    const written = await writeFiles(service, coverageData, folder);
    const after = await readPublicCoverage(service, slug);
    if (written && JSON.stringify(after) === JSON.stringify(coverageData)) return written;
    coverageData = after;
  }
  throw new Refused('unavailable', { message: () => EXPORT.changing });
}

/** @returns null if a photo or file changed meanwhile */
async function writeFiles(
  service: BackendClient,
  coverageData: PublicCoverage,
  folder: string,
): Promise<ExportedFiles | null> {
  const { id } = coverageData.coverage;
  async function* lines<One>(all: AsyncGenerator<One>, lineOf: (one: One) => string) {
    for await (const one of all) yield lineOf(one);
  }
  const write = (name: string, text: AsyncGenerator<string>) =>
    pipeline(Readable.from(text), createWriteStream(join(folder, name)));
  await writeFile(join(folder, COVERAGE_FILE), headText(exportedHead(coverageData)));
  const media = new Set<string>();
  const lineOf = (update: ExportedUpdate) => {
    for (const path of mediaPathsOf(update)) media.add(path);
    return updateLine(update);
  };
  await write(UPDATES_FILE, lines(readExportedUpdates(service, id), lineOf));
  await write(CHANGES_FILE, lines(readExportedChanges(service, id), changeLine));
  for (const photo of coverageData.photos) if (!(await writeRenditions(service, photo, folder))) return null;
  for (const path of media) if (!(await writeMedia(service, path, folder))) return null;
  const photos = coverageData.photos.map(({ id, renditions }) => ({
    id,
    widths: renditions.map(({ width }) => width),
  }));
  return { photos, media };
}

/** @returns whether the whole file could be written */
async function writeMedia(service: BackendClient, path: string, folder: string): Promise<boolean> {
  const file = mediaFileOf(path);
  if (!file) return false;
  const { data, error } = await service.storage.from(MEDIA_BUCKET).download(file.id).asStream();
  if (error) return false;
  const name = join(folder, mediaFile(file));
  await mkdir(join(folder, 'media'), { recursive: true });
  await pipeline(Readable.fromWeb(data as ReadableStream), createWriteStream(name));
  return (await stat(name)).size === file.bytes;
}

/** @returns whether all renditions could be written */
async function writeRenditions(
  service: BackendClient,
  { id, bucket, renditions }: PhotoInBucket,
  folder: string,
): Promise<boolean> {
  for (const { width, bytes } of renditions) {
    const { data, error } = await service.storage.from(bucket).download(renditionPath(id, width));
    if (error || data.size !== bytes) return false;
    await writeFile(join(folder, renditionFile(id, width)), new Uint8Array(await data.arrayBuffer()));
  }
  return true;
}
