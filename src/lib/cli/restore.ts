import { restoreData } from 'embedded-supabase';
import { RESTORE } from '../i18n/cli.ts';
import { backendOptions } from '../server/backend-process.ts';
import { calledPath, readArguments, UsageError } from './arguments.ts';
import { dataCommand } from './data-program.ts';

await dataCommand(async (backend) => {
  const options = { overwrite: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(RESTORE.usage, { options, allowPositionals: true });
  const [path, ...more] = positionals;
  if (!path || more.length > 0) throw new UsageError(RESTORE.usage);
  const report = await restoreData(backendOptions(backend), calledPath(path), values);
  console.log(RESTORE.done(report));
  for (const place of report.aside) console.log(RESTORE.aside(place));
  console.log(RESTORE.signIn);
});
