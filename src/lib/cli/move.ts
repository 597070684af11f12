import { type MoveTarget, moveData } from 'embedded-supabase';
import { MOVE } from '../i18n/cli.ts';
import { backendOptions } from '../server/backend-process.ts';
import { readArguments, UsageError } from './arguments.ts';
import { dataCommand } from './data-program.ts';

/** @returns the project's address without a trailing slash */
function readAddress(): string {
  const { to } = readArguments(MOVE.usage, { options: { to: { type: 'string' } } }).values;
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

await dataCommand(async (backend) => {
  const to = readAddress();
  const target = readTarget(to, process.env);
  const done = await moveData(backendOptions(backend), target, backend.backups.folder);
  for (const { table, rows, digest } of done.tables) console.log(MOVE.table(table, rows, digest));
  if (done.files) {
    const { files, bytes, uploaded, digest } = done.files;
    console.log(MOVE.files(files, bytes, uploaded, digest));
  }
  if (done.outcome === 'ahead') return console.log(MOVE.ahead);
  console.log(MOVE[done.outcome](to));
  if (done.backup) console.log(MOVE.backup(done.backup));
  console.log(MOVE.next);
});
