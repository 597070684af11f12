import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readArchive } from '../backup/archive.ts';
import { type BackedUpData, backupName, openBackup, writeBackup } from '../backup/backup.ts';
import { markMoved, markMoving, movedTo, unmarkMoving } from '../data-folder.ts';
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
  /** `ahead`: the backend is running, and only its files were copied. `there`: an earlier run moved the rows. */
  outcome: 'ahead' | 'moved' | 'there';
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
export async function move(where: BackedUpData, to: MoveTarget, backups: string): Promise<MoveReport> {
  await using held = new AsyncDisposableStack();
  const gone = await movedTo(where.data);
  if (gone !== undefined && gone !== to.url) {
    throw new StartError(`The newsroom of ${where.data} has gone to ${gone} already, or is on its way.`);
  }
  const { stream, running } = await openBackup(where, held);
  await mkdir(backups, { recursive: true, mode: 0o700 });
  const unfinished = await mkdtemp(join(backups, '.moving-'));
  held.defer(() => rm(unfinished, { recursive: true, force: true }));
  const path = join(running ? unfinished : backups, backupName(`${where.backupPrefix}-moved`));
  await writeBackup(stream, path);
  const folder = join(unfinished, 'unpacked');
  await mkdir(folder, { mode: 0o700 });
  const { manifest } = await readArchive(path, folder);
  const unpacked = { manifest, folder };

  const project = await openProject(to.databaseUrl);
  held.defer(() => project.close());
  if ((await compareProject(project, unpacked)) === 'ours') {
    // The files were uploaded before the rows. They are not compared, because the project may have changed them since.
    if (running || gone === undefined) {
      throw new StartError('The project has the rows of this newsroom already: nothing was touched.');
    }
    await markMoved(where.data, to.url);
    return { outcome: 'there', tables: [], backup: path };
  }
  const files = await moveFiles(project, to, unpacked, join(where.data, 'moved-ahead.json'));
  if (running) return { outcome: 'ahead', tables: [], files };
  // If the process is killed between commit and final mark, the first mark prevents a second live copy.
  let certain = false;
  const onCertain = async () => {
    await markMoving(where.data, to.url);
    certain = true;
  };
  const tables = await moveRows(project, unpacked, onCertain).catch(async (error: unknown) => {
    if (!certain) await unmarkMoving(where.data);
    throw error;
  });
  await markMoved(where.data, to.url);
  return { outcome: 'moved', tables, files, backup: path };
}
