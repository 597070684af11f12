import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import type { Engine } from './engine.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';

/** The engine that these settings name. */
export const engineOf = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>): Engine['kind'] =>
  databaseUrl ? 'postgres' : 'pglite';

/**
 * Opens the database of these settings, for this process alone. Its data folder is taken already.
 * @param onLockLost runs when another backend has taken the database while we could not reach it
 * @throws StartError when it cannot be opened
 */
export function openEngine(
  { data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>,
  onLockLost: () => void,
): Promise<Engine> {
  return databaseUrl ? openPostgres(databaseUrl, onLockLost) : openPglite(join(data, 'db'));
}
