import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Body } from '../../domain/body/blocks.ts';
import type { Json } from '../../domain/database.types.ts';
import type { ReaderPhoto } from '../../domain/photos.ts';
import { FOLDER } from '../../i18n/cli.ts';

/*
 * Format of the data files of a coverage. Times are in UTC with microseconds. Fields have the names of the database.
 * A reader rejects versions that it does not know.
 */

export const FORMAT = 'stoppress-coverage';
export const FORMAT_VERSION = 1;

/** Paths of the files in the folder of a coverage. */
export const COVERAGE_FILE = 'data/coverage.json';
export const UPDATES_FILE = 'data/updates.jsonl';
export const CHANGES_FILE = 'data/changes.jsonl';
export const printFile = (id: string, width: number) => `photos/${id}-${width}.webp`;

/* Fields of each object in the order in which they are written. */

export const HEAD = ['format', 'version', 'coverage', 'slugs', 'topics', 'people', 'photos'] as const;

export const COVERAGE = [
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
  'newest_at',
  'ended_at',
  'pinned_update',
  'reader_follow',
  'reader_interval',
  'update_count',
  'seq',
  'version',
] as const;

export const SLUG = ['slug', 'since'] as const;
export const TOPIC = ['id', 'slug', 'name', 'description'] as const;
export const PERSON = ['id', 'handle', 'display_name', 'bio'] as const;
export const PHOTO = [
  'id',
  'width',
  'height',
  'prints',
  'colour',
  'alt',
  'caption',
  'credit',
  'ready_at',
] as const;
export const PRINT = ['width', 'height', 'bytes'] as const;

export const CONTENT = [
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

export const UPDATE = [
  'number',
  'id',
  'state',
  'published_at',
  'revised_at',
  'corrected_at',
  'withdrawn_at',
  'withdrawn_reason',
  ...CONTENT,
  'photos',
  'seq',
  'version',
  'versions',
] as const;

export const VERSION = [
  'version',
  'kind',
  'at',
  'note',
  'redacted_at',
  'redacted_reason',
  'content',
] as const;

export const CHANGE = ['seq', 'kind', 'at', 'number'] as const;

export type ArchivedPhoto = ReaderPhoto & { ready_at: string };

export type ArchivedHead = {
  format: typeof FORMAT;
  version: typeof FORMAT_VERSION;
  coverage: {
    id: string;
    slug: string;
    headline: string;
    language: string;
    time_zone: string;
    state: string;
    seq: number;
    update_count: number;
  } & Record<(typeof COVERAGE)[number], unknown>;
  slugs: { slug: string; since: string }[];
  topics: { id: string; slug: string; name: string; description: string }[];
  people: { id: string; handle: string; display_name: string; bio: string }[];
  photos: ArchivedPhoto[];
};

export type ArchivedUpdate = {
  number: number;
  id: string;
  state: 'published' | 'withdrawn';
  published_at: string;
  headline: string | null;
  body: Body;
  versions: Record<(typeof VERSION)[number], unknown>[];
} & Record<(typeof UPDATE)[number], unknown>;

export type ArchivedChange = { seq: number; kind: string; at: string; number: number | null };

/** Returns the listed fields of an object in this order. */
export function pick<Key extends string>(
  thing: { readonly [Field in Key]?: unknown },
  keys: readonly Key[],
): Record<Key, unknown> {
  return Object.fromEntries(keys.map((key) => [key, thing[key]])) as Record<Key, unknown>;
}

/* Serialisation. Equal data is always written as equal bytes. */

/** Returns the content of the first file without other fields. */
export function headOf(said: Omit<ArchivedHead, 'format' | 'version'>): ArchivedHead {
  const photos = said.photos.map((photo) => ({
    ...pick(photo, PHOTO),
    prints: photo.prints.map((print) => pick(print, PRINT)),
  }));
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    coverage: pick(said.coverage, COVERAGE),
    slugs: said.slugs.map((slug) => pick(slug, SLUG)),
    topics: said.topics.map((topic) => pick(topic, TOPIC)),
    people: said.people.map((person) => pick(person, PERSON)),
    photos,
  } as ArchivedHead;
}

export const headText = (head: ArchivedHead) => `${JSON.stringify(head, null, 2)}\n`;

export function updateLine(update: ArchivedUpdate): string {
  const versions = update.versions.map((version) => {
    const content = version.content as ArchivedUpdate | null;
    return { ...pick(version, VERSION), content: content && pick(content, CONTENT) };
  });
  return `${JSON.stringify({ ...pick(update, UPDATE), versions })}\n`;
}

export const changeLine = (change: ArchivedChange) => `${JSON.stringify(pick(change, CHANGE))}\n`;

/* Parsing of files that people may have created or edited. */

export type Thing = { [key: string]: Json | undefined };

/** A folder cannot be imported. One message for each error. */
export class BadFolder extends Error {
  override name = 'BadFolder';
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/**
 * Maximum length of a line in characters. A line holds one update with all its versions: 100 versions of the longest
 * body fit.
 */
const LONGEST_LINE = 16 * 1024 * 1024;
const BOM = '\uFEFF';

/**
 * Reads the lines of a file, each ended by a line feed.
 * @throws BadFolder if the file is not UTF-8 or a line is too long or incomplete
 */
export async function* linesOf(folder: string, name: string): AsyncGenerator<string> {
  await needFile(folder, name);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new BadFolder([FOLDER.notUtf8(name)]);
    }
  };
  let rest = '';
  let line = 1;
  for await (const chunk of createReadStream(join(folder, name))) {
    rest += decode(chunk as Buffer);
    if (line === 1 && rest.startsWith(BOM)) throw new BadFolder([FOLDER.mark(name)]);
    let end = rest.indexOf('\n');
    let from = 0;
    for (; end >= 0; end = rest.indexOf('\n', from)) {
      yield rest.slice(from, end);
      from = end + 1;
      line += 1;
    }
    rest = rest.slice(from);
    if (rest.length > LONGEST_LINE) throw new BadFolder([FOLDER.longLine(name, line)]);
  }
  if (rest + decode() !== '') throw new BadFolder([FOLDER.brokenOff(name, line)]);
}

/**
 * Reads a small file.
 * @throws BadFolder
 */
export async function textOf(folder: string, name: string): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for await (const line of linesOf(folder, name)) {
    lines.push(line);
    length += line.length;
    if (length > LONGEST_LINE) throw new BadFolder([FOLDER.longLine(name, lines.length)]);
  }
  return lines.join('\n');
}

/**
 * Parses a JSON object with exactly these fields.
 * @returns an error message if it is not one
 */
export function thingIn(text: string, keys: readonly string[]): Thing | string {
  // Added by some programs. We never write it.
  if (text.endsWith('\r')) return FOLDER.carriageReturn;
  try {
    return thingOf(JSON.parse(text), keys);
  } catch (error) {
    return FOLDER.notJson((error as Error).message.replace(/\s+/g, ' ').slice(0, 120));
  }
}

export function thingOf(value: Json | undefined, keys: readonly string[]): Thing | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return FOLDER.notObject;
  const missing = keys.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return FOLDER.missingField(missing);
  const stray = Object.keys(value).find((key) => !keys.includes(key));
  return stray === undefined ? value : FOLDER.strayField(stray.slice(0, 40));
}

/** Rejects anything but a regular file in a real folder, so that symbolic links cannot lead elsewhere. */
async function needFile(folder: string, name: string): Promise<void> {
  const within = await lstat(join(folder, name, '..')).catch(() => null);
  const found = await lstat(join(folder, name)).catch(() => null);
  if (!found || !within) throw new BadFolder([FOLDER.missing(name)]);
  if (!found.isFile() || !within.isDirectory()) throw new BadFolder([FOLDER.noFile(name)]);
}
