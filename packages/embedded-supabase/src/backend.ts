import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { sql } from 'kysely';
import { openBackgroundJobs } from './auth/context.ts';
import { limitIdleSessions } from './auth/sessions.ts';
import { resumeSignUps } from './auth/sign-up.ts';
import { backupRoutes, createTakeBackup, deleteUnfinished, scheduleBackups } from './backup/backup.ts';
import { rejectInterruptedRestore } from './backup/restore-target.ts';
import { backUpBeforeUpgrade, copyToNewEngine, undoInterruptedCopy } from './backup/upgrade.ts';
import { type Config, readConfig } from './config.ts';
import { lockFolder, rejectMovedData, writePrivateJson } from './data-folder.ts';
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
import { readFunctionsConfig } from './functions/config.ts';
import { openFunctions } from './functions/functions.ts';
import { functionRoutes } from './functions/routes.ts';
import { openGateway, withRequestId } from './gateway/gateway.ts';
import { SERVER_TOKEN_HEADER } from './gateway/rate-limits.ts';
import { openJobs } from './jobs/jobs.ts';
import { readKeys } from './keys.ts';
import { backendLog } from './log/log.ts';
import { mailboxRoutes } from './mail/mailbox-routes.ts';
import { openMail } from './mail/mailer.ts';
import { readTemplates } from './mail/message.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { appliedVersions, migrate } from './migrations.ts';
import { rejectUpgrade } from './realtime/connection.ts';
import { scheduleMessageCleanup } from './realtime/messages.ts';
import { openRealtime } from './realtime/realtime.ts';
import { type AccessList, readAccessList, verifyAccessList } from './rest/access-list.ts';
import { openRestApi, type RestApi } from './rest/lite.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';
import { openStorage, storageRoutes } from './storage/storage.ts';
import { openTokens } from './tokens.ts';

/** How long open requests may take when the backend stops, in ms. PGlite answers in milliseconds. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * How long idle connections stay open, in ms. Not shorter than the website keeps its connections, because a request may
 * be on its way.
 */
const KEEP_ALIVE_MS = 75_000;

/**
 * Starts the backend on a data folder, which is created if it is missing.
 * @param onLockLost runs if another backend locked the database while the connection was lost; must stop this backend
 * @throws StartError if the folder, database or port cannot be used, a migration fails, or the data is newer
 */
export async function startBackend(settings: Settings, onLockLost: () => void) {
  await mkdir(settings.data, { recursive: true, mode: 0o700 });
  const unlockFolder = lockFolder(settings.data);
  // `mkdir` does not change the mode of an existing folder.
  await chmod(settings.data, 0o700);
  rejectInterruptedRestore(settings.data);
  await rejectMovedData(settings.data);
  await deleteUnfinished(settings.data);
  const keys = await readKeys(settings);
  const config = await readConfig(settings.config);
  for (const schema of config.api.refusedSchemas) {
    backendLog.warn(
      'config.toml lists a schema in api.schemas that is not offered. Requests to it are refused.',
      {
        schema,
      },
    );
  }
  const functionsConfig = await readFunctionsConfig(settings.functions);
  const { engine, restApi } = await openDatabase(settings, { config, onLockLost });
  const files = await openStorage(settings, restApi, keys);
  const tokens = await openTokens(keys.signing);
  const composeMail = await readTemplates(config.auth.email.template);
  const { publicChannels } = settings;
  const realtime = await openRealtime({ engine, keys, tokens, publicChannels });

  // From here on clients may connect, so the rest of the start is synchronous until the server answers.
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The website's server in front limits the time of each kind of request.
    requestTimeout: 0,
    shouldUpgradeCallback: wantsSocket,
  });
  const url = await listen(server, settings.port);
  const siteUrl = settings.siteUrl ?? url;
  const { mailer, mailbox } = openMail(settings, composeMail, siteUrl);
  const backgroundJobs = openBackgroundJobs();
  const context = { restApi, keys, tokens, siteUrl, config, mailer, backgroundJobs };
  const gateway = openGateway(context, realtime.context);
  const functions = openFunctions(functionsConfig, { ...settings, folder: settings.functions, url }, context);
  gateway.route('/functions/v1', functionRoutes(functions, context));
  gateway.route('/storage/v1', storageRoutes(context, files));
  if (mailbox) gateway.route('/mailbox', mailboxRoutes(mailbox));
  const takeBackup = createTakeBackup(engine, settings, files.storage.files);
  gateway.route('/backup', backupRoutes(keys, takeBackup));
  gateway.route('/numbers', metricsRoutes({ ...settings, engine, keys, socketCount: realtime.socketCount }));
  server.on('request', withRequestId(getRequestListener(gateway.fetch)));
  server.on('upgrade', realtime.upgrade);
  server.on('connect', (_request, socket) =>
    rejectUpgrade(socket, { status: 405, error: 'This server is not a proxy.' }),
  );

  const addressFile = join(settings.data, 'backend.json');
  const backendAddress = {
    url,
    publishableKey: keys.publishable,
    secretKey: keys.secret,
    /** Request headers that the website's own server sends with each request (gateway/rate-limits.ts). */
    headers: { [SERVER_TOKEN_HEADER]: keys.serverToken },
  };
  await writePrivateJson(addressFile, { pid: process.pid, ...backendAddress });
  const backupSchedule =
    settings.backups && scheduleBackups(takeBackup, settings.backups, settings.backupPrefix);
  const messageHistory = scheduleMessageCleanup(engine);
  const idleSessions = limitIdleSessions(context);
  const jobs = await openJobs(engine);
  const signUps = resumeSignUps(context);

  return {
    ...backendAddress,
    /** Finishes open requests, writes everything to disk and unlocks the folder. */
    async stop(): Promise<void> {
      await backupSchedule?.stop();
      await messageHistory.stop();
      await idleSessions.stop();
      await files.stop();
      await jobs.stop();
      await signUps.stop();
      await Promise.all([closeServer(server), realtime.close()]);
      await functions.stop();
      await backgroundJobs.settled();
      await mailer.close();
      await engine.close();
      await rm(addressFile, { force: true });
      unlockFolder();
    },
  };
}

/** Returns whether a request upgrades to a WebSocket. Other upgrades are ignored: the request is answered as usual. */
const wantsSocket = ({ headers, httpVersion }: IncomingMessage) =>
  headers.upgrade?.toLowerCase() === 'websocket' && httpVersion === '1.1';

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartError(`Port ${port} is in use: set EMBEDDED_SUPABASE_PORT to another one.`);
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Accepts no more requests and waits for the open ones, but at most STOP_TIMEOUT_MS. */
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timeout = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
  await closed;
  clearTimeout(timeout);
}

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
