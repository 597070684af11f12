import { limitCompilerMemory, notifyParent } from '../process.ts';
import { readSettings, type Settings } from '../settings.ts';
import { startFailure } from '../start-error.ts';
import type { Contents } from './archive.ts';

/** What the command that started us tells the owner. */
type Report = { path: string; files: number; bytes: number; rows: number; seconds: number; aside: string[] };

/**
 * Runs a backup or a restore as a process of its own: settings from the environment, the outcome to our parent.
 * @param failed what to say of an unforeseen failure, without a full stop
 */
export async function runProgram(
  run: (settings: Settings) => Promise<Contents & { path: string; aside?: string[] }>,
  failed: string,
): Promise<void> {
  limitCompilerMemory();
  const start = performance.now();
  try {
    const { path, files, bytes, manifest, aside = [] } = await run(readSettings(process.env));
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    const seconds = (performance.now() - start) / 1000;
    const report: Report = { path, files, bytes, rows, seconds, aside };
    await notifyParent({ type: 'done', ...report });
    process.exit(0);
  } catch (error) {
    console.error(startFailure(error, failed));
    process.exit(1);
  }
}
