import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { DATA } from '../i18n/cli.ts';
import { loadEnvironment } from '../server/environment.ts';
import { failure } from '../server/failure.ts';
import { type BackendChoice, readSettings } from '../server/settings.ts';
import { UsageError } from './arguments.ts';

const PROGRAMS = resolve(import.meta.dirname, '../../../packages/embedded-supabase/src');

type Embedded = Extract<BackendChoice, { kind: 'embedded' }>;

/** Result of a program that backs up or restores the data. */
export type Report = {
  path: string;
  rows: number;
  files: number;
  bytes: number;
  seconds: number;
  /** Paths to which a restore moved the replaced newsroom. */
  aside: string[];
};

/** The program failed and has printed the reason to stderr. */
class ProgramFailed extends Error {}

/** Runs a command on the data of the embedded backend, and prints its error if it fails. */
export async function dataCommand(run: (backend: Embedded) => Promise<void>): Promise<void> {
  try {
    loadEnvironment();
    const { backend } = readSettings(process.env);
    if (backend.kind === 'hosted') throw new UsageError(DATA.hosted);
    await run(backend);
  } catch (error) {
    if (error instanceof UsageError) console.error(error.message);
    else if (!(error instanceof ProgramFailed)) console.error(failure(error));
    process.exitCode = 1;
  }
}

/**
 * Runs one of the backend's programs on the data in its own process, with only the variables that it needs.
 * @param secrets further environment variables; unlike arguments, process lists do not show them
 * @throws ProgramFailed
 */
export async function runDataProgram<Done = Report>(
  name: 'backup/backup-program' | 'backup/restore-program' | 'move/move-program',
  { data, databaseUrl }: Embedded,
  args: string[],
  secrets: Record<string, string> = {},
): Promise<Done> {
  const child = fork(`${PROGRAMS}/${name}.ts`, args, {
    env: { STOPPRESS_DATA: data, ...(databaseUrl && { DATABASE_URL: databaseUrl }), ...secrets },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const report = await Promise.race([
    once(child, 'message').then(([said]) => said as Done),
    exited.then(() => undefined),
  ]);
  await exited;
  if (!report) throw new ProgramFailed();
  return report;
}
