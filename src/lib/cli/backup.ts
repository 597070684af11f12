import { parseArgs } from 'node:util';
import { backUpData } from 'embedded-supabase';
import { BACKUP } from '../i18n/cli.ts';
import { backendOptions } from '../server/backend-process.ts';
import { calledPath, UsageError } from './arguments.ts';
import { dataCommand } from './data-program.ts';

/** @returns the file or folder in the arguments; a trailing slash names a folder that may not exist yet */
function readCall(args: string[]): string | undefined {
  try {
    const { to } = parseArgs({ args, options: { to: { type: 'string' } } }).values;
    return to && calledPath(to) + (to.endsWith('/') ? '/' : '');
  } catch {
    throw new UsageError(BACKUP.usage);
  }
}

await dataCommand(async (backend) => {
  const to = readCall(process.argv.slice(2)) ?? `${backend.backups.folder}/`;
  console.log(BACKUP.done(await backUpData(backendOptions(backend), to)));
});
