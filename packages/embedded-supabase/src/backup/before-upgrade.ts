import type { Engine } from '../engine/engine.ts';
import { listMigrations } from '../migrations.ts';
import type { Settings } from '../settings.ts';
import { StartError, startFailure } from '../start-error.ts';
import { openBackups } from './backup.ts';
import { writeScheduledBackup } from './schedule.ts';

/** What a backup before an upgrade depends on. */
export type UpgradedData = Pick<Settings, 'data' | 'backups' | 'backupPrefix' | 'program'>;

/**
 * Writes a backup before the first of the migrations that a newsroom has not had, so that an upgrade can be undone.
 * @param applied those that it has had
 * @throws StartError when it cannot be written: then the upgrade must wait
 */
export async function backUpBeforeUpgrade(
  engine: Engine,
  settings: UpgradedData & Pick<Settings, 'migrations'>,
  applied: Set<string>,
): Promise<void> {
  if (!settings.backups || applied.size === 0) return;
  const all = await listMigrations(settings.migrations);
  if (all.every(({ version }) => applied.has(version))) return;
  await backUpFirst(engine, settings);
}

/** @throws StartError when it cannot be written */
export async function backUpFirst(
  engine: Parameters<typeof openBackups>[0],
  settings: UpgradedData,
): Promise<void> {
  const { backups, backupPrefix } = settings;
  if (!backups) return;
  try {
    await writeScheduledBackup(`${backupPrefix}-before-upgrade`, openBackups(engine, settings), backups);
  } catch (error) {
    throw new StartError(
      `The upgrade was not begun, because the backup before it failed. ${startFailure(error, 'It was not written')}`,
    );
  }
}
