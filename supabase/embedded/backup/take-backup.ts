import { rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import program from '../../../package.json' with { type: 'json' };
import type { Engine } from '../engine/engine.ts';
import { log } from '../log.ts';
import type { Files } from '../storage/files.ts';
import { archive, type Source } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';
import { FORMAT, type Manifest } from './manifest.ts';
import { dataPart, filePart, isPart } from './parts.ts';
import { takeSnapshot } from './snapshot.ts';
import { unfinishedFolder } from './unfinished.ts';

/** Takes a backup; its stream is the archive. */
export type TakeBackup = () => Promise<Readable>;

/**
 * Backups of a newsroom, one at a time. Its rows are as they stood when the stream was promised; its files are read
 * while the stream is.
 * @param data the data folder, which the caller has taken
 * @param held where somebody may throw files away meanwhile: keeps them from it
 */
export function takingBackups(
  engine: Pick<Engine, 'kind' | 'transaction'>,
  data: string,
  held?: Pick<Files, 'hold'>,
): TakeBackup {
  let busy = false;
  return async () => {
    if (busy) throw new BackupError('Another backup is being made: try again when it is done.');
    busy = true;
    const letGo = held?.hold();
    let folder: string | undefined;
    // At once, not some time later: whoever waits for the stream to be over may end this process next.
    const end = () => {
      busy = false;
      if (folder) rmSync(folder, { recursive: true, force: true });
      // What is left of them the next sweep takes.
      letGo?.().catch((error: unknown) => log.error('Files without a row are still there.', { error }));
    };
    try {
      folder = await mkdtemp(join(await unfinishedFolder(data), 'backup-'));
      const manifest: Manifest = {
        format: FORMAT,
        program: program.version,
        madeAt: new Date().toISOString(),
        ...(await takeSnapshot(engine, folder)),
      };
      const stream = archive(manifest, sources(manifest, folder, join(data, 'files')));
      stream.once('close', end);
      return stream;
    } catch (error) {
      end();
      throw error;
    }
  };
}

async function* sources({ tables }: Manifest, folder: string, files: string): AsyncGenerator<Source> {
  for (const { table } of tables) yield { part: dataPart(table), path: join(folder, dataPart(table)) };
  for (const path of await listFiles(files)) {
    const part = filePart(relative(files, path).split(sep).join('/'));
    if (!isPart(part)) throw new BackupError(`${path} has a name that a backup cannot hold: rename it.`);
    yield { part, path };
  }
}

/** All files of a folder, where there is one, in the order of their names. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile()) throw new BackupError(`${path} is not a file: take it out of the folder.`);
      return path;
    })
    .sort();
}
