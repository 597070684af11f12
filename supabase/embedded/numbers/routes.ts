import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { written } from '../../log/log.ts';
import type { Engine } from '../engine/engine.ts';
import { requireKey } from '../gateway.ts';
import type { Visit } from '../house.ts';
import type { Keys } from '../keys.ts';
import type { Settings } from '../settings.ts';
import { freeBytes } from '../storage/room.ts';
import { counts } from './counts.ts';
import { askNewsroom } from './newsroom.ts';

/** However many ask, the database and the disk are asked once in so long. */
const KEPT_MS = 10_000;

type Told = {
  /** What goes up and down, and what only goes up until this process ends. */
  gauges: Record<string, number>;
  counters: Record<string, number>;
};

type Asked = Pick<Settings, 'data' | 'backups'> & { engine: Engine; keys: Keys; sockets(): number };

/**
 * `GET /numbers`: how the backend is, for the site on this machine (src/lib/metrics), by the secret key. The site's own
 * server hands nothing on to this path; whatever came over a line says so in its headers, and finds nothing here.
 */
export function numbersRoutes({ engine, keys, data, backups, sockets }: Asked): Hono<Visit> {
  let known: Promise<Told['gauges']> | undefined;
  let knownAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<Told['gauges']> {
    const [newsroom, free, newest] = await Promise.all([
      askNewsroom(engine),
      freeBytes(data).catch(() => undefined),
      backups && newestBackup(backups.folder),
    ]);
    return {
      database_up: newsroom ? 1 : 0,
      ...newsroom,
      ...(free !== undefined && { data_free_bytes: free }),
      backups_scheduled: backups?.at ? 1 : 0,
      ...(newest !== undefined && { last_backup_timestamp_seconds: newest }),
    };
  }

  return new Hono<Visit>().get('/', requireKey(keys), async (c) => {
    if (c.get('keyHolder') !== 'server' || c.get('address')) return c.notFound();
    if (!known || performance.now() - knownAt > KEPT_MS) [known, knownAt] = [look(), performance.now()];
    const { rss, heapUsed } = process.memoryUsage();
    const told: Told = {
      gauges: {
        ...(await known),
        start_timestamp_seconds: Math.round(performance.timeOrigin / 1000),
        resident_bytes: rss,
        heap_bytes: heapUsed,
        realtime_sockets: sockets(),
      },
      counters: { ...counts, log_errors: written.error, log_warnings: written.warn },
    };
    return c.json(told, 200, { 'cache-control': 'no-store' });
  });
}

const BACKUP = /^stoppress-.*\.tar\.gz$/;

/** When the newest backup was finished, in seconds; undefined where there is none. */
async function newestBackup(folder: string): Promise<number | undefined> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => BACKUP.test(name));
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
