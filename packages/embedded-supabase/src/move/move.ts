import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readArchive } from '../backup/archive.ts';
import { type BackedUpData, backupFileName, openBackupStream, writeBackup } from '../backup/backup.ts';
import { markMoved, markMoving, readMoveTarget, unmarkMoving } from '../data-folder.ts';
import { StartError } from '../start-error.ts';
import { type MovedFiles, moveFiles } from './project-files.ts';
import { compareProject, type MovedTable, moveRows, openProject } from './project-rows.ts';

/** A Supabase project that data is moved to. */
export type MoveTarget = {
  /** API URL, without a slash at the end. */
  url: string;
  secretKey: string;
  /** Connection string of the database, as the role `postgres`. */
  databaseUrl: string;
};

export type MoveReport = {
  /** `filesCopied`: only files, because the backend is running. `alreadyMoved`: an earlier run moved the rows. */
  outcome: 'filesCopied' | 'moved' | 'alreadyMoved';
  tables: MovedTable[];
  files?: MovedFiles | undefined;
  /** The last backup of the data that was moved. */
  backup?: string | undefined;
};

/**
 * Moves the data to an empty project. While the backend is running, this copies only files, and may be repeated.
 * Otherwise it also moves all rows, in one transaction, and the backend does not start here again.
 * @param backups folder for the last backup
 * @throws StartError; a later run continues
 */
export async function move(source: BackedUpData, target: MoveTarget, backups: string): Promise<MoveReport> {
  await using resources = new AsyncDisposableStack();
  const previousTarget = await readMoveTarget(source.data);
  if (previousTarget !== undefined && previousTarget !== target.url) {
    throw new StartError(
      `The newsroom of ${source.data} was already moved to ${previousTarget}, or its move has started.`,
    );
  }
  const { stream, running } = await openBackupStream(source, resources);
  await mkdir(backups, { recursive: true, mode: 0o700 });
  const unfinished = await mkdtemp(join(backups, '.moving-'));
  resources.defer(() => rm(unfinished, { recursive: true, force: true }));
  const path = join(running ? unfinished : backups, backupFileName(`${source.backupPrefix}-moved`));
  await writeBackup(stream, path);
  const folder = join(unfinished, 'unpacked');
  await mkdir(folder, { mode: 0o700 });
  const { manifest } = await readArchive(path, folder);
  const unpacked = { manifest, folder };

  const project = await openProject(target.databaseUrl);
  resources.defer(() => project.close());
  if ((await compareProject(project, unpacked)) === 'ours') {
    // The files were uploaded before the rows. They are not compared, because the project may have changed them since.
    if (running || previousTarget === undefined) {
      throw new StartError('The project has the rows of this newsroom already: nothing was touched.');
    }
    await markMoved(source.data, target.url);
    return { outcome: 'alreadyMoved', tables: [], backup: path };
  }
  const files = await moveFiles(project, target, unpacked, join(source.data, 'moved-ahead.json'));
  if (running) return { outcome: 'filesCopied', tables: [], files };
  // If the process is killed between commit and final mark, the first mark prevents a second live copy.
  let isMarked = false;
  const markBeforeCommit = async () => {
    await markMoving(source.data, target.url);
    isMarked = true;
  };
  const tables = await moveRows(project, unpacked, markBeforeCommit).catch(async (error: unknown) => {
    if (!isMarked) await unmarkMoving(source.data);
    throw error;
  });
  await markMoved(source.data, target.url);
  return { outcome: 'moved', tables, files, backup: path };
}
