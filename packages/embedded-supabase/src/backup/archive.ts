import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type Extract, extract, pack } from 'tar-stream';
import { undefinedIfMissing } from '../data-folder.ts';
import { StartError } from '../start-error.ts';

/** A failed backup or restore. The message is shown to people and contains no secrets and no content. */
export class BackupError extends StartError {
  override name = 'BackupError';
}

/** Explains a system error to the owner in one sentence. @returns undefined if the owner cannot resolve the error */
export function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const path = 'path' in error ? ` ${String(error.path)}` : '';
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full: make room, then try again.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `This program may not use${path}: give its user the right to, or name another place.`;
    case 'ENOENT':
      return `There is no${path}.`;
    default:
      return undefined;
  }
}

/** The SHA-256 of each part, in hexadecimal. */
type Checksums = Map<string, string>;

/** Formats checksums for `sha256sum --check`. */
const writeSums = (sums: Checksums): string => [...sums].map(([part, sum]) => `${sum}  ${part}\n`).join('');

function readSums(text: string): Checksums {
  const lines = text.split('\n').slice(0, -1);
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

const sameSums = (a: Checksums, b: Checksums): boolean =>
  a.size === b.size && [...a].every(([part, sum]) => b.get(part) === sum);

/** Creates a pipeline step that passes bytes through and adds them to the hash. */
function updateHash(hash: Hash) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
}

/** Version of the archive's layout, not of the schema. It increases when older programs cannot read the layout. */
export const ARCHIVE_FORMAT_VERSION = 1;

/** Description of a backup: its origin and its contents. */
export type Manifest = {
  format: typeof ARCHIVE_FORMAT_VERSION;
  /** Version of the program that wrote it. */
  program: string;
  /** ISO 8601. */
  madeAt: string;
  engine: { kind: string; version: string };
  /** Versions of the migrations that were applied to the data, in order. */
  migrations: string[];
  tables: TablePart[];
  sequences: SequenceValue[];
};

export type TablePart = {
  /** With its schema: `public.updates`. */
  table: string;
  /** In the order of the part's columns, without generated columns. */
  columns: string[];
  rows: number;
};

export type SequenceValue = {
  /** With its schema. */
  sequence: string;
  /** A string, because the value may be too large for a JavaScript number. */
  value: string;
  /** `is_called` of the sequence: if false, the next value is `value` itself. */
  used: boolean;
};

/** Parses a manifest. @throws BackupError if it is not a manifest of ours, or if a newer program wrote it */
function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value.format !== 'number') throw notABackup();
  if (value.format > ARCHIVE_FORMAT_VERSION) {
    throw new BackupError(
      `This backup was made by a newer program (${String(value.program)}): restore it with that version, or a later one.`,
    );
  }
  if (value.format !== ARCHIVE_FORMAT_VERSION || !isManifest(value)) throw notABackup();
  return value;
}

const notABackup = () => new BackupError('This file is not a backup of Stoppress.');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notABackup();
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown) => typeof value === 'string';
const isListOf = (value: unknown, isItem: (item: unknown) => boolean) =>
  Array.isArray(value) && value.every(isItem);

/** Checks the types of a manifest, to reject files of other programs. The checksums protect our own manifests. */
const isManifest = (value: Record<string, unknown>): value is Manifest =>
  isText(value.program) &&
  isText(value.madeAt) &&
  isRecord(value.engine) &&
  isText(value.engine.kind) &&
  isText(value.engine.version) &&
  isListOf(value.migrations, isText) &&
  isListOf(
    value.tables,
    (item) =>
      isRecord(item) &&
      isText(item.table) &&
      isListOf(item.columns, isText) &&
      Number.isSafeInteger(item.rows),
  ) &&
  isListOf(
    value.sequences,
    (item) =>
      isRecord(item) &&
      isText(item.sequence) &&
      isText(item.value) &&
      /^-?\d+$/.test(String(item.value)) &&
      typeof item.used === 'boolean',
  );

/* Parts of an archive, in this order: manifest, rows of each table, files, checksums of all others. */

const MANIFEST = 'manifest.json';
const CHECKSUMS = 'SHA256SUMS';

const DATA = 'data/';
const FILES = 'files/';

/** Returns the name of the part with the rows of a table. @param table with its schema: `public.updates` */
export const dataPartName = (table: string) => `${DATA}${table}.copy`;

/** Returns the name of the part with a file. @param path within the folder of files, with slashes */
export const filePartName = (path: string) => `${FILES}${path}`;

/** Control characters and backslashes: `sha256sum` and the paths of other systems give them a special meaning. */
const UNSAFE_CHARACTER = /[\p{Cc}\\]/u;

/** Returns true if a part has a valid name, which stays inside the folder that the archive is unpacked into. */
export function isValidPartName(name: string): boolean {
  if (name === MANIFEST || name === CHECKSUMS) return true;
  if (!name.startsWith(DATA) && !name.startsWith(FILES)) return false;
  if (UNSAFE_CHARACTER.test(name)) return false;
  return name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/** Contents of a complete and undamaged archive. */
export type ArchiveContents = {
  manifest: Manifest;
  files: number;
  /** Size of the compressed archive. */
  bytes: number;
};

/** Maximum bytes of the manifest and of the checksums, which are kept in memory. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/**
 * Reads an archive and compares its checksums.
 * @param folder where to unpack it; undefined only checks it
 * @throws BackupError if it is no backup, of a newer program, or damaged; discard the unpacked files then
 */
export async function readArchive(path: string, folder?: string): Promise<ArchiveContents> {
  const file = await open(path).catch((error: Error) => {
    throw new BackupError(describeSystemError(error) ?? `${path} cannot be read.`);
  });
  try {
    const { size } = await file.stat();
    const tar = extract();
    const unpacking = pipeline(file.createReadStream(), createGunzip(), tar);
    // Prevents an unhandled rejection: `readParts` fails with the same error and is awaited first.
    unpacking.catch(() => undefined);
    const contents = await readParts(tar, folder);
    await unpacking;
    return { ...contents, bytes: size };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    const sentence = describeSystemError(error);
    throw sentence ? new BackupError(sentence, { cause: error }) : damaged(error);
  } finally {
    await file.close();
  }
}

async function readParts(tar: Extract, folder: string | undefined) {
  const checksums: Checksums = new Map();
  let manifest: Manifest | undefined;
  let sums: Checksums | undefined;
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header;
    if (!manifest && name !== MANIFEST) throw notABackup();
    if (type !== 'file' || !isValidPartName(name)) throw damaged();

    const hash = createHash('sha256');
    const content = Readable.from(updateHash(hash)(entry as AsyncIterable<Buffer>));
    if (name === MANIFEST || name === CHECKSUMS) {
      if (size > MAX_TEXT_BYTES) throw damaged();
      const body = await text(content);
      if (name === MANIFEST) manifest = parseManifest(body);
      else sums = readSums(body);
    } else {
      await pipeline(content, folder ? await createFile(join(folder, name)) : discard());
    }
    if (name !== CHECKSUMS) checksums.set(name, hash.digest('hex'));
  }

  if (!manifest) throw notABackup();
  if (!sums || !sameSums(checksums, sums)) throw damaged();
  if (!manifest.tables.every(({ table }) => checksums.has(dataPartName(table)))) throw damaged();
  return { manifest, files: [...checksums.keys()].filter((part) => part.startsWith(FILES)).length };
}

const damaged = (cause?: unknown) =>
  new BackupError('This file is damaged or not a backup of Stoppress. Choose another one.', { cause });

async function createFile(path: string): Promise<Writable> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return createWriteStream(path, { mode: 0o600, flags: 'wx' });
}

const discard = () => new Writable({ write: (_piece, _encoding, done) => done() });

/** A part of an archive, and the path of the file with its bytes. */
export type ArchiveSource = { part: string; path: string };

/**
 * Returns an archive as a stream, which fails if a source cannot be read to its end.
 * @param sources in the order of the archive; deleted ones are left out
 */
export function packArchive(
  manifest: Manifest,
  sources: AsyncIterable<ArchiveSource> | Iterable<ArchiveSource>,
): Readable {
  const tar = pack();
  const zipped = createGzip();
  const abortController = new AbortController();
  // The returned stream reports the errors of both streams, so this only stops `write`.
  pipeline(tar, zipped).catch(() => abortController.abort());
  write().catch((error: Error) => zipped.destroy(error));
  return zipped;

  async function write(): Promise<void> {
    const sums: Checksums = new Map();
    const add = async (part: string, size: number, content: Readable) => {
      const hash = createHash('sha256');
      await pipeline(content, updateHash(hash), tar.entry({ name: part, size, mode: 0o600 }), {
        signal: abortController.signal,
      });
      sums.set(part, hash.digest('hex'));
    };
    const addText = (part: string, text: string) => {
      const bytes = Buffer.from(text);
      return add(part, bytes.length, Readable.from([bytes]));
    };

    await addText(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
    for await (const { part, path } of sources) {
      const file = await undefinedIfMissing(open(path));
      if (!file) continue;
      const { size } = await file.stat();
      if (size > 0) await add(part, size, file.createReadStream({ end: size - 1 }));
      else await file.close().then(() => add(part, 0, Readable.from([])));
    }
    await addText(CHECKSUMS, writeSums(sums));
    tar.finalize();
  }
}
