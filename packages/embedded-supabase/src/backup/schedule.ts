import { join } from 'node:path';
import { Cron } from 'croner';
import { counters } from '../metrics/counters.ts';
import { logStartFailure } from '../start-error.ts';
import { backupName, keepNewest, type TakeBackup, writeBackup } from './backup.ts';
import type { BackupSettings } from './backup-settings.ts';

/**
 * Writes a backup, and only then deletes the oldest of its kind.
 * @param kind first part of the file name: retention never deletes a backup that a person requested
 * @throws BackupError when it cannot be written; nothing is deleted then
 */
export async function writeScheduledBackup(
  kind: string,
  takeBackup: TakeBackup,
  { folder, keep }: BackupSettings,
  signal?: AbortSignal,
): Promise<void> {
  await writeBackup(await takeBackup(), join(folder, backupName(kind)), signal);
  await keepNewest(folder, kind, keep);
}

/** Makes a backup at each scheduled time. Logs an error and continues with the next one. */
export function scheduleBackups(takeBackup: TakeBackup, settings: BackupSettings, prefix: string) {
  const end = new AbortController();
  let running = Promise.resolve();
  const run = async () => {
    try {
      await writeScheduledBackup(`${prefix}-scheduled`, takeBackup, settings, end.signal);
    } catch (error) {
      if (end.signal.aborted) return;
      counters.backups_failed += 1;
      logStartFailure(error, 'The scheduled backup was not written');
    }
  };
  const job =
    settings.at &&
    new Cron(settings.at, { protect: true }, () => {
      running = run();
      return running;
    });
  return {
    /** Makes no more backups, and gives up the one that is being made. */
    async stop(): Promise<void> {
      if (job) job.stop();
      end.abort();
      await running;
    },
  };
}
