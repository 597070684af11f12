import type { Engine } from '../engine/engine.ts';
import { listMigrations } from '../migrations.ts';
import type { Settings } from '../settings.ts';
import { StartError, startFailure } from '../start-error.ts';
import { takingBackups } from './backup.ts';
import { backUpByItself } from './schedule.ts';

/**
 * Writes a backup before the first of the migrations that a newsroom has not had, so that an upgrade can be undone.
 * @param applied those that it has had
 * @throws StartError when it cannot be written: then the upgrade must wait
 */
export async function backUpBeforeUpgrade(
  engine: Engine,
  { data, migrations, backups }: Pick<Settings, 'data' | 'migrations' | 'backups'>,
  applied: Set<string>,
): Promise<void> {
  if (!backups || applied.size === 0) return;
  const all = await listMigrations(migrations);
  if (all.every(({ version }) => applied.has(version))) return;
  await backUpFirst(engine, data, backups);
}

/** @throws StartError when it cannot be written */
export async function backUpFirst(
  engine: Parameters<typeof takingBackups>[0],
  data: string,
  backups: Settings['backups'],
): Promise<void> {
  if (!backups) return;
  try {
    await backUpByItself('stoppress-before-upgrade', takingBackups(engine, data), backups);
  } catch (error) {
    throw new StartError(
      `The upgrade was not begun, because the backup before it failed. ${startFailure(error, 'It was not written')}`,
    );
  }
}
