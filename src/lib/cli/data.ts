import { backUpData, type MoveTarget, moveData, ProgramFailed, restoreData } from 'embedded-supabase';
import { BACKUP, DATA, MOVE, RESTORE } from '../i18n/cli.ts';
import { backendOptions, type Embedded } from '../server/backend-process.ts';
import { failure, loadEnvironment } from '../server/program.ts';
import { readServerSettings } from '../server/settings.ts';
import { calledPath, readArguments, UsageError } from './command.ts';

/* The commands on the data of the embedded backend: `npm run backup`, `restore` and `move`. */

async function backup(backend: Embedded, args: string[]): Promise<void> {
  const { to } = readArguments(BACKUP.usage, { args, options: { to: { type: 'string' } } }).values;
  // A trailing slash names a folder that may not exist yet.
  const place = to ? calledPath(to) + (to.endsWith('/') ? '/' : '') : `${backend.backups.folder}/`;
  console.log(BACKUP.done(await backUpData(backendOptions(backend), place)));
}

async function restore(backend: Embedded, args: string[]): Promise<void> {
  const options = { overwrite: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(RESTORE.usage, { args, options, allowPositionals: true });
  const [path, ...more] = positionals;
  if (!path || more.length > 0) throw new UsageError(RESTORE.usage);
  const report = await restoreData(backendOptions(backend), calledPath(path), values);
  console.log(RESTORE.done(report));
  for (const location of report.replacedData) console.log(RESTORE.replacedData(location));
  console.log(RESTORE.signIn);
}

async function move(backend: Embedded, args: string[]): Promise<void> {
  const to = readAddress(args);
  const target = readTarget(to, process.env);
  const done = await moveData(backendOptions(backend), target, backend.backups.folder);
  for (const { table, rows, digest } of done.tables) console.log(MOVE.table(table, rows, digest));
  if (done.files) {
    const { files, bytes, uploaded, digest } = done.files;
    console.log(MOVE.files(files, bytes, uploaded, digest));
  }
  if (done.outcome === 'filesCopied') return console.log(MOVE.filesCopied);
  console.log(MOVE[done.outcome](to));
  if (done.backup) console.log(MOVE.backup(done.backup));
  console.log(MOVE.next);
}

/** @returns the project's address without a trailing slash */
function readAddress(args: string[]): string {
  const { to } = readArguments(MOVE.usage, { args, options: { to: { type: 'string' } } }).values;
  const url = URL.parse(to ?? '');
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username)
    return url.origin;
  throw new UsageError(MOVE.usage);
}

/** Secrets come from environment variables, because all users of the machine can see command lines. */
function readTarget(to: string, { MOVE_SECRET_KEY, MOVE_DATABASE_URL }: NodeJS.ProcessEnv): MoveTarget {
  if (!MOVE_SECRET_KEY) throw new UsageError(MOVE.secretKey);
  const database = URL.parse(MOVE_DATABASE_URL ?? '');
  if (!MOVE_DATABASE_URL || !database || !/^postgres(ql)?:$/.test(database.protocol))
    throw new UsageError(MOVE.databaseUrl);
  // Supabase's addresses contain the project's id; the pooler's contain it in the name of the role.
  const project = /^([a-z]{20})\.supabase\.co$/.exec(new URL(to).hostname)?.[1];
  const named = /[a-z]{20}/.exec(`${database.username} ${database.hostname.split('.')[1] ?? ''}`)?.[0];
  if (project && named && project !== named) throw new UsageError(MOVE.otherProject);
  return { url: to, secretKey: MOVE_SECRET_KEY, databaseUrl: MOVE_DATABASE_URL };
}

const COMMANDS: Record<string, typeof backup> = { backup, restore, move };

try {
  loadEnvironment();
  const { backend } = readServerSettings(process.env);
  if (backend.kind === 'hosted') throw new UsageError(DATA.hosted);
  const [name = '', ...args] = process.argv.slice(2);
  await COMMANDS[name]?.(backend, args);
} catch (error) {
  if (error instanceof UsageError) console.error(error.message);
  // A program that failed has written the reason to stderr.
  else if (!(error instanceof ProgramFailed)) console.error(failure(error));
  process.exitCode = 1;
}
