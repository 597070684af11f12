import { lstat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Json } from '../../domain/database.types.ts';
import { LIMITS } from '../../domain/limits.ts';
import { hasFormat, MAX_MEDIA_BYTES, MEDIA_HEAD_BYTES, mediaFileOf } from '../../domain/media-files.ts';
import { isUuid } from '../../domain/paths.ts';
import { MAX_PHOTO_HEIGHT, PHOTO_WIDTHS, type Rendition } from '../../domain/photos.ts';
import { FOLDER } from '../../i18n/cli.ts';
import {
  CHANGE_FIELDS,
  CHANGES_FILE,
  COVERAGE_FIELDS,
  COVERAGE_FILE,
  checkObject,
  type DataObject,
  FOLDER_FORMAT,
  FORMAT_VERSION,
  HEAD_FIELDS,
  InvalidFolderError,
  mediaFile,
  mediaPathsOf,
  OPTIONAL_COVERAGE_FIELDS,
  PERSON_FIELDS,
  PHOTO_FIELDS,
  parseObject,
  RENDITION_FIELDS,
  readLines,
  readTextFile,
  renditionFile,
  SLUG_FIELDS,
  TOPIC_FIELDS,
  UPDATE_FIELDS,
  UPDATES_FILE,
} from './format.ts';

/* Renditions in a folder are untrusted, because they are served unchanged. */

/** WebP chunks of a still picture. Others may contain metadata of a camera or a person. */
const CHUNKS = ['VP8 ', 'VP8L', 'VP8X', 'ALPH'];

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
  if (width > PHOTO_WIDTHS[2] || height > MAX_PHOTO_HEIGHT || !isPlainWebp(bytes)) return false;
  try {
    const picture = sharp(bytes, { failOn: 'warning', limitInputPixels: PHOTO_WIDTHS[2] * MAX_PHOTO_HEIGHT });
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

/**
 * Checks that the folder has a video or audio file as its path describes it.
 * @param path path on the site
 * @returns an error message if the file is missing or different
 */
async function mediaError(folder: string, path: string): Promise<string | undefined> {
  const described = mediaFileOf(path);
  if (!described) return FOLDER.missing(path);
  const name = mediaFile(described);
  const file = await lstat(join(folder, name)).catch(() => null);
  if (!file) return FOLDER.missing(name);
  if (!file.isFile()) return FOLDER.noFile(name);
  if (described.bytes > MAX_MEDIA_BYTES || file.size !== described.bytes)
    return FOLDER.bytes(name, described.bytes);
  const handle = await open(join(folder, name));
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MEDIA_HEAD_BYTES), 0, MEDIA_HEAD_BYTES, 0);
    return hasFormat(described.format, buffer.subarray(0, bytesRead))
      ? undefined
      : FOLDER.otherFormat(name, described.format);
  } finally {
    await handle.close();
  }
}

/** Data of a folder with its structure validated. The database validates the contents. */
export type CoverageData = {
  folder: string;
  /** Parsed content of the first file. */
  head: DataObject;
  coverage: DataObject;
  id: string;
  slug: string;
  count: number;
  seq: number;
  photos: { id: string; renditions: Rendition[] }[];
  /** Paths on the site of the video and audio files of published updates. */
  media: string[];
  /** Read from the files one by one, in order. */
  updates(): AsyncGenerator<DataObject>;
  changes(): AsyncGenerator<DataObject>;
};

/** Maximum number of errors reported. */
const MAX_ERRORS = 20;

/**
 * Reads and validates all data, photos and files of a folder.
 * @throws InvalidFolderError with a message for each error
 */
export async function readFolder(folder: string): Promise<CoverageData> {
  const data = await readFolderHead(folder);
  const errors: string[] = [];
  const media = new Set<string>();
  async function* updates() {
    for await (const update of data.updates()) {
      for (const path of mediaPathsOf(update)) media.add(path);
      yield update;
    }
  }
  await collectErrors(errors, updates(), data.count, FOLDER.updates(UPDATES_FILE, data.count));
  await collectErrors(errors, data.changes(), data.seq, FOLDER.changes(CHANGES_FILE, data.seq));
  for (const { id, renditions } of data.photos) {
    for (const rendition of renditions) {
      const read = await readFolderRendition(folder, id, rendition);
      if (typeof read === 'string') errors.push(read);
    }
    if (errors.length >= MAX_ERRORS) break;
  }
  for (const path of media) {
    const error = await mediaError(folder, path);
    if (error) errors.push(error);
  }
  if (errors.length > 0) throw new InvalidFolderError(errors.slice(0, MAX_ERRORS));
  return { ...data, media: [...media] };
}

async function readFolderHead(folder: string): Promise<Omit<CoverageData, 'media'>> {
  const invalid = (what: string) => new InvalidFolderError([FOLDER.wrong(COVERAGE_FILE, what)]);
  const text = await readTextFile(folder, COVERAGE_FILE);
  const head = parseObject(text, HEAD_FIELDS);
  if (typeof head === 'string') throw invalid(head);
  if (head.format !== FOLDER_FORMAT) throw invalid(FOLDER.format);
  if (head.version !== FORMAT_VERSION) throw invalid(FOLDER.version(FORMAT_VERSION));
  const coverage = checkObject(head.coverage, COVERAGE_FIELDS, OPTIONAL_COVERAGE_FIELDS);
  if (typeof coverage === 'string') throw invalid(`coverage: ${coverage}`);
  const { id, slug, update_count: count, seq } = coverage;
  if (!isId(id)) throw invalid(FOLDER.id('coverage'));
  if (typeof slug !== 'string') throw invalid(FOLDER.text('slug'));
  if (!isCount(count) || !isCount(seq)) throw invalid(FOLDER.count);
  for (const [list, keys] of Object.entries({
    slugs: SLUG_FIELDS,
    topics: TOPIC_FIELDS,
    people: PERSON_FIELDS,
  })) {
    for (const entry of listOf(head[list], keys))
      if (typeof entry === 'string') throw invalid(`${list}: ${entry}`);
  }
  const photos = listOf(head.photos, PHOTO_FIELDS).map((photo) => {
    const read = typeof photo === 'string' ? photo : photoOf(photo);
    if (typeof read === 'string') throw invalid(`photos: ${read}`);
    return read;
  });
  return {
    folder,
    head,
    coverage,
    id,
    slug,
    count,
    seq,
    photos,
    updates: () => readObjects(folder, UPDATES_FILE, UPDATE_FIELDS, 'number'),
    changes: () => readObjects(folder, CHANGES_FILE, CHANGE_FIELDS, 'seq'),
  };
}

/** The id becomes part of file names, so it must be a UUID. */
function photoOf(photo: DataObject): CoverageData['photos'][number] | string {
  if (!isId(photo.id)) return FOLDER.id('photo');
  const renditions: Rendition[] = [];
  for (const rendition of listOf(photo.renditions, RENDITION_FIELDS)) {
    if (typeof rendition === 'string') return rendition;
    const { width, height, bytes } = rendition;
    if (!isCount(width) || !isCount(height) || !isCount(bytes)) return FOLDER.count;
    renditions.push({ width, height, bytes });
  }
  return renditions.length === 0 ? FOLDER.missing(renditionFile(photo.id, 0)) : { id: photo.id, renditions };
}

function listOf(value: Json | undefined, keys: readonly string[]): (DataObject | string)[] {
  return Array.isArray(value) ? value.map((entry) => checkObject(entry, keys)) : [FOLDER.notList];
}

/** Reads the objects of a file, one on each line, numbered from 1 by one of their fields. */
async function* readObjects(
  folder: string,
  name: string,
  keys: readonly string[],
  numberField: string,
): AsyncGenerator<DataObject> {
  let line = 0;
  for await (const text of readLines(folder, name)) {
    line += 1;
    const thing = parseObject(text, keys);
    if (typeof thing === 'string') throw new InvalidFolderError([FOLDER.wrongLine(name, line, thing)]);
    if (thing[numberField] !== line)
      throw new InvalidFolderError([FOLDER.wrongLine(name, line, FOLDER.counted(numberField, line))]);
    yield thing;
  }
}

/** Reads a file to its end or to the first error in it. */
async function collectErrors(
  errors: string[],
  all: AsyncGenerator<DataObject>,
  count: number,
  tooFew: string,
) {
  try {
    let total = 0;
    for await (const _ of all) total += 1;
    if (total !== count) errors.push(tooFew);
  } catch (error) {
    if (!(error instanceof InvalidFolderError)) throw error;
    errors.push(...error.errors);
  }
}

/** In the database's spelling, because file names contain it. */
const isId = (value: Json | undefined): value is string =>
  typeof value === 'string' && isUuid(value) && value === value.toLowerCase();
const isCount = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
