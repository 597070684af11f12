import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncEntries } from '../engine/sync-folder.ts';
import { type Contents, readArchive } from './archive-reader.ts';
import { BackupError, systemSentence } from './backup-error.ts';

/**
 * Writes an archive to its place, whole or not at all: it is read back and held against its checksums before it gets
 * its name.
 * @param path must not exist
 * @throws BackupError when it cannot be written; nothing is left then
 */
export async function writeBackup(stream: Readable, path: string, signal?: AbortSignal): Promise<Contents> {
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await pipeline(stream, createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true }), { signal });
    const contents = await readArchive(partial);
    if (existsSync(path)) throw new BackupError(`There is a file ${path} already: name another one.`);
    await rename(partial, path);
    await syncEntries(dirname(path));
    return contents;
  } catch (error) {
    stream.destroy();
    await rm(partial, { force: true });
    throw asBackupError(error);
  }
}

/** The name of a backup made now: those of one kind are in the order of time. */
export const backupName = (kind: string, now = new Date()) => `${kind}-${stampOf(now)}.tar.gz`;

/** `20261121-041500`, in UTC. */
export function stampOf(now: Date): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `${date}-${time}`;
}

function asBackupError(error: unknown): unknown {
  const sentence = error instanceof BackupError ? undefined : systemSentence(error);
  return sentence ? new BackupError(sentence, { cause: error }) : error;
}
