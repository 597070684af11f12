import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { serviceClient } from '../support/backend.ts';
import { type Cluster, findPostgres, startCluster } from '../support/postgres-cluster.ts';
import { freePort, isAlive, killAll } from '../support/processes.ts';
import { membersOf } from './process-tree.ts';

export type EngineKind = 'pglite' | 'postgres';

/** A newsroom with `npm start`, restarted whenever it ends. */
export type House = {
  url: string;
  publishableKey: string;
  secretKey: string;
  service: SupabaseClient;
  /** The data folder, and the URL of an external database. */
  data: string;
  databaseUrl: string | undefined;
  /** Names of processes that can be killed now. `all` means all processes at once, with the database server. */
  victims(): string[];
  /** Kills processes. Resolves when they have ended. */
  kill(victim: string): Promise<void>;
  /** The last output on stderr. */
  errors(): string;
  /** Stops the newsroom for good, and keeps its data. */
  halt(): Promise<void>;
  /** Stops the newsroom and deletes its data. */
  end(): Promise<void>;
};

/** The value of `RestartSec` in deploy/. */
const RESTART_MS = 300;
const LAST_WORDS = 20_000;
const LOOK_MS = 20;

export async function openHouse(
  engine: EngineKind,
  more: Record<string, string> = {},
  root = resolve(import.meta.dirname, '../..'),
): Promise<House> {
  const parent = await mkdtemp(join(tmpdir(), 'stoppress-kills-'));
  const data = join(parent, 'data');
  const cluster = engine === 'postgres' ? await openCluster() : undefined;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const keys = { publishableKey: `sb_publishable_${secret()}`, secretKey: `sb_secret_${secret()}` };
  const environment = {
    PATH: process.env.PATH ?? '',
    TMPDIR: tmpdir(),
    HOST: '127.0.0.1',
    PORT: String(port),
    STOPPRESS_DATA: data,
    STOPPRESS_BUILDS: join(parent, 'builds'),
    STOPPRESS_BACKUP_AT: 'off',
    PUBLIC_SUPABASE_PUBLISHABLE_KEY: keys.publishableKey,
    SUPABASE_SECRET_KEY: keys.secretKey,
    ...(cluster && { DATABASE_URL: cluster.url() }),
    ...more,
  };

  let said = '';
  let top: ChildProcess | undefined;
  let halted = false;
  const kept = keep();

  /** Restarts the program whenever it ends. */
  async function keep(): Promise<void> {
    while (!halted) {
      top = spawn(process.execPath, ['src/lib/server/start.ts'], {
        cwd: root,
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      top.stderr?.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-LAST_WORDS);
      });
      await once(top, 'exit');
      if (!halted) await wait(RESTART_MS);
    }
  }

  const members = () => (top?.pid && isAlive(top.pid) ? membersOf(top.pid) : []);

  async function killEverything(): Promise<void> {
    const all = members().map(({ pid }) => pid);
    killAll(all);
    await cluster?.crash();
    await untilDead(all);
  }

  return {
    ...keys,
    url,
    data,
    databaseUrl: cluster?.url(),
    service: serviceClient({ url, ...keys }),
    victims: () => [
      ...new Set([...members().map(({ name }) => name), 'all', ...(cluster ? ['server', 'session'] : [])]),
    ],
    async kill(victim) {
      if (victim === 'session') return cluster?.crashSession();
      if (victim === 'server') await cluster?.crash();
      else if (victim === 'all') await killEverything();
      else {
        const dying = members().flatMap(({ pid, name }) => (name === victim ? [pid] : []));
        killAll(dying);
        await untilDead(dying);
      }
      // The machine of a database server would restart it.
      if (victim === 'server' || victim === 'all') await cluster?.start();
    },
    errors: () => said,
    async halt() {
      halted = true;
      // Includes processes whose parent was killed.
      await killEverything();
      await kept;
      await cluster?.start();
    },
    async end() {
      halted = true;
      killAll(members().map(({ pid }) => pid));
      await kept;
      await cluster?.end();
      await rm(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openCluster(): Promise<Cluster> {
  const bin = findPostgres();
  if (!bin) throw new Error('There is no PostgreSQL on this machine.');
  return startCluster(bin);
}

async function untilDead(pids: number[]): Promise<void> {
  while (pids.some(isAlive)) await wait(LOOK_MS);
}

const secret = () => randomBytes(18).toString('hex');
