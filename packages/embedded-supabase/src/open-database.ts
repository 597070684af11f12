import { sql } from 'kysely';
import { backUpBeforeUpgrade, copyToNewEngine, undoInterruptedCopy } from './backup/upgrade.ts';
import type { Config } from './config.ts';
import type { Engine } from './engine/engine.ts';
import {
  checkEngineRecord,
  type EngineRecord,
  engineKind,
  findLegacyEngine,
  openEngine,
  writeEngineRecord,
} from './engine/open.ts';
import { PGLITE_RELEASE } from './engine/pglite-release.ts';
import { runWithoutTimeLimit } from './engine/work.ts';
import { appliedVersions, migrate } from './migrations.ts';
import { type AccessList, readAccessList, verifyAccessList } from './rest/access-list.ts';
import { openRestApi, type RestApi } from './rest/lite.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';

/**
 * Opens the database, runs the migrations and warms up its sessions.
 * @param onLockLost runs if another backend has locked the database while the connection was lost
 * @throws StartError if the data is elsewhere, newer, or cannot be opened
 */
export async function openDatabase(
  settings: Settings,
  { config, onLockLost }: { config: Config; onLockLost: () => void },
): Promise<{ engine: Engine; restApi: RestApi }> {
  const accessList = await readAccessList(settings.migrations);
  await undoInterruptedCopy(settings.data);
  const recorded = await checkEngineRecord(settings.data, engineKind(settings));
  const older = recorded && recorded.postgres !== PGLITE_RELEASE.postgres && findLegacyEngine(recorded);
  if (older) await copyToNewEngine(settings, older);
  const engine = await openEngine(settings, onLockLost);
  // copyToNewEngine has already made the backup.
  const preparation = { config, accessList, recorded, needsBackup: !older };
  const restApi = await runWithoutTimeLimit('start', () => prepare(engine, settings, preparation));
  return { engine, restApi };
}

type Preparation = {
  config: Config;
  accessList: AccessList | undefined;
  recorded: EngineRecord | undefined;
  needsBackup: boolean;
};

/** Prepares the database for the first request. In particular, runs the migrations. */
async function prepare(
  engine: Engine,
  settings: Settings,
  { config, accessList, recorded, needsBackup }: Preparation,
): Promise<RestApi> {
  // This throws for newer data, so it comes before any change.
  const applied = await appliedVersions(engine, settings.migrations);
  if (recorded?.engine === 'postgres' && applied.size === 0) {
    throw new StartError(
      `The newsroom of ${settings.data} is stored in PostgreSQL, but the database of DATABASE_URL is empty: name the right one, or run \`embedded-supabase restore\` with a new EMBEDDED_SUPABASE_DATA.`,
    );
  }
  if (needsBackup) await backUpBeforeUpgrade(engine, settings, applied);
  const restApi = await openRestApi(engine, config, accessList);
  await migrate(engine, settings.migrations);
  await writeEngineRecord(settings.data, engine);
  if (accessList) await verifyAccessList(accessList, engine.db);
  await restApi.reloadSchema();
  await warmUp(restApi);
  return restApi;
}

/**
 * Number of warm-up requests: as many as an engine has sessions. So each session is connected and has read the catalog
 * before the first request.
 */
const WARM_UP_REQUESTS = 8;

/** Reads from the first table of the schema `public`, through the same layers as a request. */
async function warmUp(restApi: RestApi): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname limit 1`.execute(
    restApi.db,
  );
  const name = rows[0]?.name;
  if (!name) return;
  const read = () =>
    restApi.handle(new Request(`http://inside/rest/v1/${name}?limit=1`), { role: 'service_role' }, 'server');
  await Promise.all(Array.from({ length: WARM_UP_REQUESTS }, read));
}
