import { parseArgs } from 'node:util';
import { restoreData } from 'embedded-supabase';
import { RESTORE } from '../i18n/cli.ts';
import { backendOptions } from '../server/backend-process.ts';
import { calledPath, UsageError } from './arguments.ts';
import { dataCommand } from './data-program.ts';

function readCall(args: string[]): { path: string; overwrite: boolean } {
  try {
    const options = { overwrite: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [path, ...more] = positionals;
    if (path && more.length === 0) return { path: calledPath(path), overwrite: values.overwrite };
  } catch {
    // An unknown option is a wrong call too.
  }
  throw new UsageError(RESTORE.usage);
}

await dataCommand(async (backend) => {
  const { path, overwrite } = readCall(process.argv.slice(2));
  const report = await restoreData(backendOptions(backend), path, { overwrite });
  console.log(RESTORE.done(report));
  for (const place of report.aside) console.log(RESTORE.aside(place));
  console.log(RESTORE.signIn);
});
