import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { BackupError, systemSentence } from './backup-error.ts';
import { type Checksums, hashing, readSums, sameSums } from './checksums.ts';
import { type Manifest, notOurs, parseManifest } from './manifest.ts';
import { dataPart, isFilePart, isPart, MANIFEST, SUMS } from './parts.ts';

/** What a whole and undamaged archive holds. */
export type Contents = {
  manifest: Manifest;
  files: number;
  /** Of the archive itself, compressed. */
  bytes: number;
};

/** Longest manifest and list of checksums, in bytes: they are held in memory. A line of the list is about 150. */
const LONGEST_TEXT = 256 * 1024 * 1024;

/**
 * Reads an archive to its end and holds it against its own checksums.
 * @param folder where its parts are unpacked; without one they are only checked
 * @throws BackupError when it is no backup, a newer program's, or damaged in any way: what was unpacked is worthless
 */
export async function readArchive(path: string, folder?: string): Promise<Contents> {
  const file = await open(path).catch((error: Error) => {
    throw new BackupError(systemSentence(error) ?? `${path} cannot be read.`);
  });
  try {
    const { size } = await file.stat();
    const tar = extract();
    const feeding = pipeline(file.createReadStream(), createGunzip(), tar);
    // Its failure is that of the reader too, which is awaited first.
    feeding.catch(() => undefined);
    const contents = await readParts(tar, folder);
    await feeding;
    return { ...contents, bytes: size };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    const sentence = systemSentence(error);
    throw sentence ? new BackupError(sentence, { cause: error }) : damaged(error);
  } finally {
    await file.close();
  }
}

async function readParts(tar: Extract, folder: string | undefined) {
  const found: Checksums = new Map();
  let manifest: Manifest | undefined;
  let sums: Checksums | undefined;
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header;
    if (!manifest && name !== MANIFEST) throw notOurs();
    if (type !== 'file' || !isPart(name)) throw damaged();

    const hash = createHash('sha256');
    const content = Readable.from(hashing(hash)(entry as AsyncIterable<Buffer>));
    if (name === MANIFEST || name === SUMS) {
      if (size > LONGEST_TEXT) throw damaged();
      const said = await text(content);
      if (name === MANIFEST) manifest = parseManifest(said);
      else sums = readSums(said);
    } else {
      await pipeline(content, folder ? await writing(join(folder, name)) : nowhere());
    }
    if (name !== SUMS) found.set(name, hash.digest('hex'));
  }

  if (!manifest) throw notOurs();
  if (!sums || !sameSums(found, sums)) throw damaged();
  if (!manifest.tables.every(({ table }) => found.has(dataPart(table)))) throw damaged();
  return { manifest, files: [...found.keys()].filter(isFilePart).length };
}

const damaged = (cause?: unknown) =>
  new BackupError('This file is damaged, or no backup of Stoppress: take another one.', { cause });

async function writing(path: string): Promise<Writable> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return createWriteStream(path, { mode: 0o600, flags: 'wx' });
}

const nowhere = () => new Writable({ write: (_piece, _encoding, done) => done() });
