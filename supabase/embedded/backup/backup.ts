import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { engineOf, openEngine } from '../engine/open.ts';
import { checkRecord } from '../engine/record.ts';
import { FolderInUse, takeFolder } from '../lock.ts';
import type { Contents } from './archive-reader.ts';
import { askBackend } from './ask-backend.ts';
import { BackupError } from './backup-error.ts';
import type { Where } from './place.ts';
import { refuseHalfRestored } from './restoring-mark.ts';
import { takingBackups } from './take-backup.ts';
import { forgetUnfinished } from './unfinished.ts';
import { backupName, writeBackup } from './write-backup.ts';

export type BackedUp = Contents & { path: string };

/**
 * Writes a backup of the newsroom in a data folder, whether it is running or not.
 * @param to a file that does not exist, or a folder
 * @throws StartError when it cannot be done; nothing is left then
 */
export async function backUp(where: Where, to: string): Promise<BackedUp> {
  if (!existsSync(join(where.data, 'engine.json'))) {
    throw new BackupError(`There is no newsroom in ${where.data}.`);
  }
  const path = isFolder(to) ? join(to, backupName('stoppress')) : to;
  await using held = new AsyncDisposableStack();
  const stream = await open(where, held);
  return { ...(await writeBackup(stream, path)), path };
}

const isFolder = (to: string) => to.endsWith('/') || statSync(to, { throwIfNoEntry: false })?.isDirectory();

/** @param held gets what must be given back once the archive is written */
async function open(where: Where, held: AsyncDisposableStack): Promise<Readable> {
  try {
    held.defer(takeFolder(where.data));
  } catch (error) {
    if (error instanceof FolderInUse) return askBackend(where.data, error);
    throw error;
  }
  refuseHalfRestored(where.data);
  await forgetUnfinished(where.data);
  held.defer(() => forgetUnfinished(where.data));
  await checkRecord(where.data, engineOf(where));
  const engine = await openEngine(where, () => {});
  held.defer(() => engine.close());
  return takingBackups(engine, where.data)();
}
