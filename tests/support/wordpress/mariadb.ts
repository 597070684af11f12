import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../until.ts';
import { programPath } from './installed.ts';
import { startSupervised } from './supervised.ts';

const run = promisify(execFile);

export type Database = {
  /** Path of the socket. The user `root` needs no password there. */
  socket: string;
  stop(): Promise<void>;
};

/** Starts MariaDB as an ordinary user on a socket in a new folder below `parent`, with the empty database `wordpress`. */
export async function startMariadb(parent: string): Promise<Database> {
  const user = await ordinaryUser();
  const folder = join(parent, 'mariadb');
  await mkdir(folder);
  const [data, socket, log] = [join(folder, 'data'), join(folder, 'socket'), join(folder, 'log')];
  const init = join(folder, 'init.sql');
  await writeFile(init, 'create database if not exists wordpress;\n');
  if (user) for (const path of [parent, folder, init]) await chown(path, user.uid, user.gid);
  // In a shared folder for temporary files, each server deletes those of the others when it starts.
  await run(
    programPath('mariadb-install-db'),
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--tmpdir=${folder}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { cwd: folder, ...user },
  );
  const server = startSupervised(
    programPath('mariadbd'),
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--tmpdir=${folder}`,
      `--socket=${socket}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--log-error=${log}`,
      `--init-file=${init}`,
      '--skip-networking',
      '--innodb-buffer-pool-size=32M',
      '--innodb-flush-log-at-trx-commit=0',
    ],
    { cwd: folder, ...user },
  );
  await until('MariaDB answers', async () => {
    if (server.hasEnded()) throw new Error(`MariaDB ended:\n${await readFile(log, 'utf8')}`);
    return run(programPath('php'), ['-r', CONNECT, socket]).then(
      () => true,
      () => false,
    );
  });
  return { socket, stop: server.stop };
}

/** Fails until the database of the test exists. */
const CONNECT = `exit( mysqli_connect( null, 'root', '', 'wordpress', null, $argv[1] ) ? 0 : 1 );`;

/** Returns an ordinary user if this process runs as root, because MariaDB refuses to run as root. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const user = ['mysql', 'nobody'].map((name) => lines.find((line) => line[0] === name)).find(Boolean);
  if (!user) throw new Error('There is no ordinary user to run MariaDB as.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
