import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Hono } from 'hono';
import { undefinedIfMissing } from '../data-folder.ts';
import type { Engine } from '../engine/engine.ts';
import type { RequestVariables } from '../gateway/context.ts';
import { requireApiKey } from '../gateway/gateway.ts';
import type { Keys } from '../keys.ts';
import { logLineCounts } from '../log/log.ts';
import type { Settings } from '../settings.ts';
import { freeBytes } from '../storage/files.ts';
import { counters } from './counters.ts';

/** Timeout of the database query in milliseconds. On PGlite, a query waits for all earlier ones. */
const TIMEOUT_MS = 5_000;

/** File beside config.toml with a query that returns one row. Its columns are gauges of the project. */
const PROJECT_QUERY = 'metrics.sql';

const readProjectQuery = async (config: string): Promise<string> =>
  (await undefinedIfMissing(readFile(join(dirname(config), PROJECT_QUERY), 'utf8'))) ?? 'select';

type Gauges = Record<string, number>;

/**
 * Runs the query of the project and measures how long the database takes, including the time in its queue.
 * @returns undefined if the database does not answer in time
 */
async function queryDatabase(
  engine: Engine,
  query: string,
): Promise<(Gauges & { database_seconds: number }) | undefined> {
  const startedAt = performance.now();
  const pending = engine.transaction((session) => session.query<Gauges>(query, []));
  const result = await Promise.race([
    pending.catch(() => undefined),
    wait(TIMEOUT_MS, undefined, { ref: false }),
  ]);
  const row = result?.rows[0];
  return row && { ...row, database_seconds: (performance.now() - startedAt) / 1000 };
}

/** Milliseconds for which a result is reused, however many requests arrive. */
const CACHE_MS = 10_000;

type Metrics = {
  /** Gauges may fall; counters only grow until the process ends. */
  gauges: Record<string, number>;
  counters: Record<string, number>;
};

type MetricsSources = Pick<Settings, 'data' | 'backups' | 'backupPrefix' | 'config'> & {
  engine: Engine;
  keys: Keys;
  socketCount(): number;
};

/**
 * Creates the route `GET /numbers`: metrics for the website on this machine. Requests of visitors through the website
 * have an address and get 404.
 */
export function metricsRoutes({
  engine,
  keys,
  data,
  backups,
  backupPrefix,
  config,
  socketCount,
}: MetricsSources): Hono<RequestVariables> {
  let cachedGauges: Promise<Metrics['gauges']> | undefined;
  let cachedAt = Number.NEGATIVE_INFINITY;

  async function readGauges(): Promise<Metrics['gauges']> {
    const [database, free, newest] = await Promise.all([
      queryDatabase(engine, await readProjectQuery(config)),
      freeBytes(data).catch(() => undefined),
      backups && newestBackup(backups.folder, backupPrefix),
    ]);
    return {
      database_up: database ? 1 : 0,
      ...database,
      ...(free !== undefined && { data_free_bytes: free }),
      backups_scheduled: backups?.at ? 1 : 0,
      ...(newest !== undefined && { last_backup_timestamp_seconds: newest }),
    };
  }

  return new Hono<RequestVariables>().get('/', requireApiKey(keys), async (c) => {
    if (c.get('apiKeyType') !== 'secret' || c.get('address')) return c.notFound();
    if (!cachedGauges || performance.now() - cachedAt > CACHE_MS)
      [cachedGauges, cachedAt] = [readGauges(), performance.now()];
    const { rss, heapUsed } = process.memoryUsage();
    const metrics: Metrics = {
      gauges: {
        ...(await cachedGauges),
        start_timestamp_seconds: Math.round(performance.timeOrigin / 1000),
        resident_bytes: rss,
        heap_bytes: heapUsed,
        realtime_sockets: socketCount(),
      },
      counters: { ...counters, log_errors: logLineCounts.error, log_warnings: logLineCounts.warn },
    };
    return c.json(metrics, 200, { 'cache-control': 'no-store' });
  });
}

/** Returns the Unix time in seconds at which the newest backup was finished; undefined if there is none. */
async function newestBackup(folder: string, prefix: string): Promise<number | undefined> {
  const names = (await readdir(folder).catch(() => [])).filter(
    (name) => name.startsWith(`${prefix}-`) && name.endsWith('.tar.gz'),
  );
  const times = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs / 1000,
        () => 0,
      ),
    ),
  );
  return times.length > 0 ? Math.max(...times) : undefined;
}
