import { resolve } from 'node:path';
import { CronPattern } from 'croner';
import { StartError } from '../start-error.ts';

/** Scheduled backups and backups before an upgrade. */
export type BackupSettings = {
  /** Absolute. */
  folder: string;
  /** When, as a cron expression in the server's own time; unset, only before an upgrade. */
  at: string | undefined;
  /** How many of each kind are kept. */
  keep: number;
};

/** At night, and not on the hour, when everything else on a server runs. */
const NIGHTLY = '15 4 * * *';

const KEPT = 14;

function isCron(text: string): boolean {
  try {
    new CronPattern(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws StartError naming the variable that is wrong */
export function readBackupSettings(folder: string, at = NIGHTLY, keep = String(KEPT)): BackupSettings {
  if (at !== 'off' && !isCron(at)) {
    throw new StartError(
      'EMBEDDED_SUPABASE_BACKUP_AT must be a cron expression, such as 15 4 * * *, or off.',
    );
  }
  if (!/^[1-9]\d{0,4}$/.test(keep)) {
    throw new StartError('EMBEDDED_SUPABASE_BACKUP_KEEP must be the number of backups to keep, 1 or more.');
  }
  return { folder: resolve(folder), at: at === 'off' ? undefined : at, keep: Number(keep) };
}
