import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { childrenOf, freePort, isAlive, killAll } from './processes.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export type Cluster = {
  /** URL of a database, by default of `postgres`. */
  url(database?: string): string;
  /** Stops the server in fast mode, which ends sessions. `start()` starts it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Kills all processes of the server. `start()` starts it again. */
  crash(): Promise<void>;
  /** Kills the process of one session. The server then recovers. */
  crashSession(): Promise<void>;
  /** Stops the server and deletes its files. */
  end(): Promise<void>;
};

/** Finds the folder of PostgreSQL's programs: one on the PATH, or that of Debian's newest version. */
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
 * Runs the server until its input ends. The files stay if the input was `stop`. Otherwise, also when the tests were
 * killed, they are deleted.
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

type ClusterOptions = {
  superuser?: string;
  /** Options of `initdb` for the collation. */
  locale?: string[];
  /** Folder in which the cluster's folder is created. */
  parent?: string;
};

/** Starts a cluster with a password on a free port of 127.0.0.1, as an unprivileged user. */
export async function startCluster(
  bin: string,
  { superuser = 'postgres', locale = ['--locale=C.UTF-8'], parent = tmpdir() }: ClusterOptions = {},
): Promise<Cluster> {
  const user = await ordinaryUser();
  const folder = await mkdtemp(join(parent, 'stoppress-postgres-'));
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
    // The supervisor has its own process group, so that Ctrl-C does not end the cluster before the tests.
    supervisor = spawn('sh', ['-c', SUPERVISOR_SCRIPT, 'postgres-supervisor', bin, folder, String(port)], {
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
    await until('The processes of PostgreSQL end when they are killed', () => !all.some(isAlive));
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

/** Returns an ordinary user if this process runs as root, because PostgreSQL refuses to run as root. */
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
