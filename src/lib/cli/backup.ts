import { backUpData } from 'embedded-supabase';
import { BACKUP } from '../i18n/cli.ts';
import { backendOptions } from '../server/backend-process.ts';
import { calledPath, readArguments } from './arguments.ts';
import { dataCommand } from './data-program.ts';

await dataCommand(async (backend) => {
  const { to } = readArguments(BACKUP.usage, { options: { to: { type: 'string' } } }).values;
  // A trailing slash names a folder that may not exist yet.
  const place = to ? calledPath(to) + (to.endsWith('/') ? '/' : '') : `${backend.backups.folder}/`;
  console.log(BACKUP.done(await backUpData(backendOptions(backend), place)));
});
