import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Hono } from 'hono';
import type { Engine } from '../engine/engine.ts';
import type { Visit } from '../gateway/context.ts';
import { requireKey } from '../gateway/gateway.ts';
import type { Keys } from '../keys.ts';
import { written } from '../log/log.ts';
import type { Settings } from '../settings.ts';
import { freeBytes } from '../storage/space.ts';
import { counts } from './counters.ts';

/** More than so many of a thing are not counted: the question stays as small as its answer is useful. */
const MOST = 10_000;
/** On PGlite a question waits for all before it. */
const LONGEST_MS = 5_000;

/** Each out of an index of its own. */
const counting = (from: string) =>
  `(select count(*)::integer from (select from ${from} limit ${MOST}) counted)`;

const QUESTION = `select
  ${counting('public.alerts where deliveries_created_at is null')} as alerts_waiting,
  ${counting("public.deliveries where state = 'queued'")} as deliveries_waiting,
  ${counting("public.deliveries where state = 'sending'")} as deliveries_sending,
  ${counting("public.photos where state <> 'ready' and state = 'arriving'")} as photos_arriving,
  ${counting("public.tips where state in ('new', 'in_review') and not held")} as tips_open,
  ${counting('public.tips where held')} as tips_held`;

export type Newsroom = Record<string, number>;

/**
 * What waits in the newsroom, with the seconds that the database took to say so, its wait for a turn among them.
 * @returns undefined when it does not answer
 */
export async function askNewsroom(
  engine: Engine,
): Promise<(Newsroom & { database_seconds: number }) | undefined> {
  const began = performance.now();
  const asked = engine.transaction((session) => session.query<Newsroom>(QUESTION, []));
  const answer = await Promise.race([
    asked.catch(() => undefined),
    wait(LONGEST_MS, undefined, { ref: false }),
  ]);
  const row = answer?.rows[0];
  return row && { ...row, database_seconds: (performance.now() - began) / 1000 };
}

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
