import type { ArchiveContents } from './backup/archive.ts';
import { backUp } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { move } from './move/move.ts';
import { limitCompilerMemory, notifyParent } from './process.ts';
import { readSettings, type Settings } from './settings.ts';
import { startFailureMessage } from './start-error.ts';

/*
 * Backs up, restores or moves the data in its own process, and sends a report to the parent process.
 * Arguments: `backup FILE|FOLDER`, `restore FILE [overwrite]`, `move URL BACKUPS`.
 */

const [program = '', target = '', option = ''] = process.argv.slice(2);

const PROGRAMS: Record<string, { failed: string; run: (settings: Settings) => Promise<object> }> = {
  backup: {
    failed: 'No backup was made',
    run: async (settings) => {
      const { path, ...contents } = await backUp(settings, target);
      return { path, replacedData: [], ...reportOf(contents) };
    },
  },
  restore: {
    failed: 'Nothing was restored',
    run: async (settings) => {
      const { replacedData, ...contents } = await restore(settings, target, option === 'overwrite');
      return { path: target, replacedData, ...reportOf(contents) };
    },
  },
  move: {
    failed: 'The newsroom was not moved',
    run: (settings) => {
      const { MOVE_SECRET_KEY: secretKey = '', MOVE_DATABASE_URL: databaseUrl = '' } = process.env;
      return move(settings, { url: target, secretKey, databaseUrl }, option);
    },
  },
};

const reportOf = ({ manifest, files, bytes }: ArchiveContents) => ({
  files,
  bytes,
  rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0),
  seconds: performance.now() / 1000,
});

limitCompilerMemory();
const { failed, run } = PROGRAMS[program] ?? {};
try {
  if (!run) throw new Error(`There is no program ${program}.`);
  await notifyParent({ type: 'done', ...(await run(readSettings(process.env))) });
  process.exit(0);
} catch (error) {
  console.error(startFailureMessage(error, failed));
  process.exit(1);
}
