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
import { processesOf } from './process-tree.ts';

export type EngineKind = 'pglite' | 'postgres';

/** A site as an owner runs it: `npm start`, restarted whenever it ends. */
export type SupervisedSite = {
  url: string;
  publishableKey: string;
  secretKey: string;
  service: SupabaseClient;
  /** The data folder. `databaseUrl` names the database if it is outside this folder. */
  data: string;
  databaseUrl: string | undefined;
  /** Names of the processes that can be killed now. `all` kills every process at once, and the database server. */
  killTargets(): string[];
  /** Kills with SIGKILL, and waits until the processes are gone. */
  kill(target: string): Promise<void>;
  /** Returns the last part of the site's stderr. */
  errors(): string;
  /** Stops the site for good, and keeps its data. */
  halt(): Promise<void>;
  /** Stops the site and deletes its data. */
  end(): Promise<void>;
};

/** Pause before a restart. systemd's `RestartSec` in deploy/ is longer: 2 s. */
const RESTART_MS = 300;
const STDERR_LENGTH = 20_000;
const POLL_MS = 20;

export async function startSupervisedSite(
  engine: EngineKind,
  more: Record<string, string> = {},
  root = resolve(import.meta.dirname, '../..'),
): Promise<SupervisedSite> {
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

  let stderr = '';
  let main: ChildProcess | undefined;
  let halted = false;
  const supervision = supervise();

  /** Starts the site whenever it has ended. */
  async function supervise(): Promise<void> {
    while (!halted) {
      main = spawn(process.execPath, ['src/lib/server/start.ts'], {
        cwd: root,
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      main.stderr?.on('data', (chunk: Buffer) => {
        stderr = (stderr + chunk.toString()).slice(-STDERR_LENGTH);
      });
      await once(main, 'exit');
      if (!halted) await wait(RESTART_MS);
    }
  }

  const processes = () => (main?.pid && isAlive(main.pid) ? processesOf(main.pid) : []);

  async function killEverything(): Promise<void> {
    const all = processes().map(({ pid }) => pid);
    killAll(all);
    await cluster?.crash();
    await waitUntilDead(all);
  }

  return {
    ...keys,
    url,
    data,
    databaseUrl: cluster?.url(),
    service: serviceClient({ url, ...keys }),
    killTargets: () => [
      ...new Set([...processes().map(({ name }) => name), 'all', ...(cluster ? ['server', 'session'] : [])]),
    ],
    async kill(target) {
      if (target === 'session') return cluster?.crashSession();
      if (target === 'server') await cluster?.crash();
      else if (target === 'all') await killEverything();
      else {
        const pids = processes().flatMap(({ pid, name }) => (name === target ? [pid] : []));
        killAll(pids);
        await waitUntilDead(pids);
      }
      // The database server's own machine would restart it.
      if (target === 'server' || target === 'all') await cluster?.start();
    },
    errors: () => stderr,
    async halt() {
      halted = true;
      // Includes processes that a killed parent left behind.
      await killEverything();
      await supervision;
      await cluster?.start();
    },
    async end() {
      halted = true;
      killAll(processes().map(({ pid }) => pid));
      await supervision;
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

async function waitUntilDead(pids: number[]): Promise<void> {
  while (pids.some(isAlive)) await wait(POLL_MS);
}

const secret = () => randomBytes(18).toString('hex');
