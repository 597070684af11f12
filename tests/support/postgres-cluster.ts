import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { childrenOf, freePort, isAlive, killAll } from './processes.ts';

const run = promisify(execFile);

export type Cluster = {
  /** The address of one of its databases; by default of the one that is always there. */
  url(database?: string): string;
  /** Stops the server as its administrator does, who waits for nobody, and starts it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends all of its processes at once, without a word; start() starts it again. */
  crash(): Promise<void>;
  /** Ends the process of one session without a word: the server then begins anew by itself. */
  crashSession(): Promise<void>;
  /** Stops it and throws its files away. */
  end(): Promise<void>;
};

/** The programs of a PostgreSQL on this machine: on the PATH, or where Debian keeps them, the newest first. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/**
 * Runs the server until its input ends. When whoever started it says `stop` first, its files stay; when they are
 * gone without a word, however they ended, the files go too.
 */
const SUPERVISOR_SCRIPT = `
bin=$1 folder=$2 port=$3
"$bin/postgres" -D "$folder/data" -p "$port" -k "" -c listen_addresses=127.0.0.1 \
  -c fsync=on -c shared_buffers=64MB -c max_connections=200 >>"$folder/log" 2>&1 </dev/null &
server=$!
read -r word
kill -INT $server
wait $server
[ "$word" = stop ] || rm -rf "$folder"
`;

/** What `initdb` is told: who the superuser is, and how texts are ordered. */
type ClusterOptions = { superuser: string; locale: string[] };

const DEFAULTS: ClusterOptions = { superuser: 'postgres', locale: ['--locale=C.UTF-8'] };

/** Starts a cluster of this caller's own, on a port of 127.0.0.1, as an ordinary user and with a password. */
export async function startCluster(
  bin: string,
  { superuser, locale }: ClusterOptions = DEFAULTS,
): Promise<Cluster> {
  const user = await ordinaryUser();
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-postgres-'));
  const password = randomBytes(12).toString('hex');
  const secret = join(folder, 'password');
  await writeFile(secret, password);
  if (user) for (const path of [folder, secret]) await chown(path, user.uid, user.gid);
  await run(
    join(bin, 'initdb'),
    [
      '-D',
      join(folder, 'data'),
      '-U',
      superuser,
      '-E',
      'UTF8',
      ...locale,
      '-A',
      'scram-sha-256',
      `--pwfile=${secret}`,
    ],
    { cwd: folder, ...user },
  );
  const port = await freePort();
  const url = (database = 'postgres') => `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`;
  let supervisor: ChildProcess | undefined;

  const start = async () => {
    // A group of its own: Ctrl-C ends the tests, and they end the cluster.
    supervisor = spawn('sh', ['-c', SUPERVISOR_SCRIPT, 'keeper', bin, folder, String(port)], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      ...user,
    });
    supervisor.unref();
    await untilReady(url(), join(folder, 'log'));
  };
  const finish = async (word: string) => {
    if (!supervisor || supervisor.exitCode !== null) return;
    supervisor.ref();
    const exited = once(supervisor, 'exit');
    supervisor.stdin?.end(word);
    await exited;
  };
  const crash = async () => {
    const postmaster = Number((await readFile(join(folder, 'data/postmaster.pid'), 'utf8')).split('\n')[0]);
    const all = [postmaster, ...childrenOf(postmaster)];
    killAll(all);
    await finish('stop\n');
    while (all.some(isAlive)) await wait(10);
  };
  const crashSession = async () => {
    const sql = postgres(url(), { max: 1, onnotice: () => {} });
    try {
      const [session] = await sql<{ pid: number }[]>`select pid from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid() order by random() limit 1`;
      if (session) killAll([session.pid]);
    } finally {
      await sql.end();
    }
  };
  await start();
  return { url, start, crash, crashSession, stop: () => finish('stop\n'), end: () => finish('') };
}

/** PostgreSQL does not run as root. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => lines.find((line) => line[0] === name)).find(Boolean);
  if (!user) throw new Error('There is no ordinary user to run PostgreSQL as.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

const STARTS_WITHIN_MS = 30_000;

async function untilReady(url: string, log: string): Promise<void> {
  const sql = postgres(url, { max: 1, backoff: () => 0.05, onnotice: () => {} });
  const end = Date.now() + STARTS_WITHIN_MS;
  try {
    for (;;) {
      const error = await sql`select 1`.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) return;
      if (Date.now() > end) throw new Error(`PostgreSQL did not start:\n${await readFile(log, 'utf8')}`);
    }
  } finally {
    await sql.end();
  }
}
