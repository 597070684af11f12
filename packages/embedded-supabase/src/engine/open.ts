import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import type { Engine } from './engine.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';

/** Returns the kind of engine that the settings select. */
export const engineKind = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>): Engine['kind'] =>
  databaseUrl ? 'postgres' : 'pglite';

/**
 * Opens the database that the settings select, for this process alone. The caller has already locked the data folder.
 * @param onLockLost runs if another backend locked the database while the connection was lost
 * @throws StartError if the database cannot be opened
 */
export function openEngine(
  { data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>,
  onLockLost: () => void,
): Promise<Engine> {
  return databaseUrl ? openPostgres(databaseUrl, onLockLost) : openPglite(join(data, 'db'));
}
