import { ProgramFailed } from 'embedded-supabase';
import { DATA } from '../i18n/cli.ts';
import { failure, loadEnvironment } from '../server/program.ts';
import { type BackendChoice, readServerSettings } from '../server/settings.ts';
import { UsageError } from './arguments.ts';

type Embedded = Extract<BackendChoice, { kind: 'embedded' }>;

/** Runs a command on the data of the embedded backend, and prints its error if it fails. */
export async function dataCommand(run: (backend: Embedded) => Promise<void>): Promise<void> {
  try {
    loadEnvironment();
    const { backend } = readServerSettings(process.env);
    if (backend.kind === 'hosted') throw new UsageError(DATA.hosted);
    await run(backend);
  } catch (error) {
    if (error instanceof UsageError) console.error(error.message);
    // A program that failed has written the reason to stderr.
    else if (!(error instanceof ProgramFailed)) console.error(failure(error));
    process.exitCode = 1;
  }
}
