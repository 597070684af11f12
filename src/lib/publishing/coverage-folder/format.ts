import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../../domain/database.types.ts';
import type { ReaderPhoto } from '../../domain/photos.ts';
import { FOLDER } from '../../i18n/cli.ts';

/*
 * Format of the data files of a coverage. Times are in UTC with microseconds. Fields have the names of the database.
 * A reader rejects versions that it does not know.
 */

export const FOLDER_FORMAT = 'stoppress-coverage';
export const FORMAT_VERSION = 1;

/** Paths of the files in the folder of a coverage. */
export const COVERAGE_FILE = 'data/coverage.json';
export const UPDATES_FILE = 'data/updates.jsonl';
export const CHANGES_FILE = 'data/changes.jsonl';
export const renditionFile = (id: string, width: number) => `photos/${id}-${width}.webp`;

/* Fields of each object in the order in which they are written. */

export const HEAD_FIELDS = ['format', 'version', 'coverage', 'slugs', 'topics', 'people', 'photos'] as const;

export const COVERAGE_FIELDS = [
  'id',
  'slug',
  'kicker',
  'headline',
  'standfirst',
  'summary',
  'summary_at',
  'state',
  'time_zone',
  'language',
  'starts_at',
  'published_at',
  'revised_at',
  'last_published_at',
  'ended_at',
  'pinned_update',
  'lead_photo',
  'canonical_url',
  'reader_follow_mode',
  'check_interval_seconds',
  'update_count',
  'seq',
  'version',
] as const;

/** Absent without a chosen lead photo or a canonical address, as in folders of earlier versions. */
export const OPTIONAL_COVERAGE_FIELDS = ['lead_photo', 'canonical_url'] as const;

export const SLUG_FIELDS = ['slug', 'since'] as const;
export const TOPIC_FIELDS = ['id', 'slug', 'name', 'description'] as const;
export const PERSON_FIELDS = ['id', 'handle', 'display_name', 'bio'] as const;
export const PHOTO_FIELDS = [
  'id',
  'width',
  'height',
  'renditions',
  'placeholder_colour',
  'alt',
  'caption',
  'credit',
  'ready_at',
] as const;
export const RENDITION_FIELDS = ['width', 'height', 'bytes'] as const;

const CONTENT_FIELDS = [
  'headline',
  'body',
  'key_event',
  'urgency',
  'verification',
  'attribution',
  'dateline',
  'occurred_at',
  'bylines',
] as const;

export const UPDATE_FIELDS = [
  'number',
  'id',
  'state',
  'published_at',
  'revised_at',
  'corrected_at',
  'withdrawn_at',
  'withdrawn_reason',
  ...CONTENT_FIELDS,
  'photos',
  'seq',
  'version',
  'versions',
] as const;

const VERSION_FIELDS = [
  'version',
  'kind',
  'at',
  'note',
  'redacted_at',
  'redacted_reason',
  'content',
] as const;

export const CHANGE_FIELDS = ['seq', 'kind', 'at', 'number'] as const;

export type ExportedPhoto = ReaderPhoto & { ready_at: string };

export type ExportedHead = {
  format: typeof FOLDER_FORMAT;
  version: typeof FORMAT_VERSION;
  coverage: { id: string } & Record<(typeof COVERAGE_FIELDS)[number], unknown>;
  slugs: { slug: string; since: string }[];
  topics: { id: string; slug: string; name: string; description: string }[];
  people: { id: string; handle: string; display_name: string; bio: string }[];
  photos: ExportedPhoto[];
};

export type ExportedUpdate = {
  number: number;
  versions: Record<(typeof VERSION_FIELDS)[number], unknown>[];
} & Record<(typeof UPDATE_FIELDS)[number], unknown>;

export type ExportedChange = { seq: number; kind: string; at: string; number: number | null };

/** Returns the listed fields of an object in this order. */
export function pickFields<Key extends string>(
  thing: { readonly [Field in Key]?: unknown },
  keys: readonly Key[],
): Record<Key, unknown> {
  return Object.fromEntries(keys.map((key) => [key, thing[key]])) as Record<Key, unknown>;
}

/* Serialisation. Equal data is always written as equal bytes. */

/** Returns the content of the first file without other fields. */
export function exportedHead(source: Omit<ExportedHead, 'format' | 'version'>): ExportedHead {
  const photos = source.photos.map((photo) => ({
    ...pickFields(photo, PHOTO_FIELDS),
    renditions: photo.renditions.map((rendition) => pickFields(rendition, RENDITION_FIELDS)),
  }));
  return {
    format: FOLDER_FORMAT,
    version: FORMAT_VERSION,
    coverage: pickFields(source.coverage, COVERAGE_FIELDS),
    slugs: source.slugs.map((slug) => pickFields(slug, SLUG_FIELDS)),
    topics: source.topics.map((topic) => pickFields(topic, TOPIC_FIELDS)),
    people: source.people.map((person) => pickFields(person, PERSON_FIELDS)),
    photos,
  } as ExportedHead;
}

export const headText = (head: ExportedHead) => `${JSON.stringify(head, null, 2)}\n`;

export function updateLine(update: ExportedUpdate): string {
  const versions = update.versions.map((version) => {
    const content = version.content as ExportedUpdate | null;
    return {
      ...pickFields(version, VERSION_FIELDS),
      content: content && pickFields(content, CONTENT_FIELDS),
    };
  });
  return `${JSON.stringify({ ...pickFields(update, UPDATE_FIELDS), versions })}\n`;
}

export const changeLine = (change: ExportedChange) =>
  `${JSON.stringify(pickFields(change, CHANGE_FIELDS))}\n`;

/* Parsing of files that people may have created or edited. */

export type DataObject = { [key: string]: Json | undefined };

/** A folder cannot be imported. One message for each error. */
export class InvalidFolderError extends Error {
  override name = 'InvalidFolderError';
  readonly errors: string[];
  constructor(errors: string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/**
 * Maximum length of a line in characters. A line holds one update with all its versions: 100 versions of the longest
 * body fit.
 */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;
const BOM = '\uFEFF';

/**
 * Reads the lines of a file, each ended by a line feed.
 * @throws InvalidFolderError if the file is not UTF-8 or a line is too long or incomplete
 */
export async function* readLines(folder: string, name: string): AsyncGenerator<string> {
  await requireFile(folder, name);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new InvalidFolderError([FOLDER.notUtf8(name)]);
    }
  };
  let rest = '';
  let line = 1;
  for await (const chunk of createReadStream(join(folder, name))) {
    rest += decode(chunk as Buffer);
    if (line === 1 && rest.startsWith(BOM)) throw new InvalidFolderError([FOLDER.mark(name)]);
    let end = rest.indexOf('\n');
    let from = 0;
    for (; end >= 0; end = rest.indexOf('\n', from)) {
      yield rest.slice(from, end);
      from = end + 1;
      line += 1;
    }
    rest = rest.slice(from);
    if (rest.length > MAX_LINE_LENGTH) throw new InvalidFolderError([FOLDER.longLine(name, line)]);
  }
  if (rest + decode() !== '') throw new InvalidFolderError([FOLDER.brokenOff(name, line)]);
}

/**
 * Reads a small file.
 * @throws InvalidFolderError
 */
export async function readTextFile(folder: string, name: string): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for await (const line of readLines(folder, name)) {
    lines.push(line);
    length += line.length;
    if (length > MAX_LINE_LENGTH) throw new InvalidFolderError([FOLDER.longLine(name, lines.length)]);
  }
  return lines.join('\n');
}

/**
 * Parses a JSON object with exactly these fields.
 * @returns an error message if it is not one
 */
export function parseObject(text: string, keys: readonly string[]): DataObject | string {
  // Added by some programs. We never write it.
  if (text.endsWith('\r')) return FOLDER.carriageReturn;
  try {
    return checkObject(JSON.parse(text), keys);
  } catch (error) {
    return FOLDER.notJson((error as Error).message.replace(/\s+/g, ' ').slice(0, 120));
  }
}

/** @param optional those of the fields that may be absent */
export function checkObject(
  value: Json | undefined,
  keys: readonly string[],
  optional: readonly string[] = [],
): DataObject | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return FOLDER.notObject;
  const missing = keys.find((key) => !Object.hasOwn(value, key) && !optional.includes(key));
  if (missing !== undefined) return FOLDER.missingField(missing);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  return unknown === undefined ? value : FOLDER.strayField(unknown.slice(0, 40));
}

/** Rejects anything but a regular file in a real folder, so that symbolic links cannot lead elsewhere. */
async function requireFile(folder: string, name: string): Promise<void> {
  const within = await lstat(join(folder, name, '..')).catch(() => null);
  const file = await lstat(join(folder, name)).catch(() => null);
  if (!file || !within) throw new InvalidFolderError([FOLDER.missing(name)]);
  if (!file.isFile() || !within.isDirectory()) throw new InvalidFolderError([FOLDER.noFile(name)]);
}
