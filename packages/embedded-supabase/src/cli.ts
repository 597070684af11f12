import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readConfigFile } from './config.ts';
import { startFailureMessage } from './start-error.ts';

const USAGE = `Usage: embedded-supabase [COMMAND]

  start                        Starts the backend of supabase/ in this folder and prints its URL and keys (default)
  backup FILE|FOLDER           Writes a backup of the data
  restore FILE [--overwrite]   Restores a backup
  move URL                     Moves the data to an empty Supabase project (MOVE_SECRET_KEY, MOVE_DATABASE_URL)
  check-functions [FOLDER …]   Checks the types and imports of edge functions (default: supabase/functions)
  release [VERSION]            Records the migrations that a version is released with (default: the version of package.json)

Settings are environment variables: see README.md of this package.`;

/** Port of the Supabase CLI. It is used unless config.toml sets another one. */
const DEFAULT_PORT = 54321;

/** Runs a program in this process. Sets process.argv, from which the program reads its arguments. */
async function run(program: string, args: string[]): Promise<void> {
  process.argv = [process.execPath, program, ...args];
  await import(program);
}

const project = resolve(process.env.EMBEDDED_SUPABASE_PROJECT ?? '.');
const backups = process.env.EMBEDDED_SUPABASE_BACKUPS ?? 'backups';

const COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
  async start() {
    const keys = await readConfigFile(join(project, 'supabase/config.toml'));
    const port = keys.has('api.port') ? keys.integer('api.port', 1, 65_535) : DEFAULT_PORT;
    process.env.EMBEDDED_SUPABASE_PORT ||= String(port);
    await run('./main.ts', []);
  },
  backup: ([target = `${backups}/`]) => run('./data-program.ts', ['backup', target]),
  restore: ([archive = '', overwrite]) =>
    run('./data-program.ts', ['restore', archive, ...(overwrite === '--overwrite' ? ['overwrite'] : [])]),
  move: ([url = '']) => run('./data-program.ts', ['move', url, backups]),
  'check-functions': (folders) =>
    run('./functions/check.ts', folders.length > 0 ? folders : [join(project, 'supabase/functions')]),
  async release([version]) {
    const releasedVersion =
      version ?? (JSON.parse(await readFile('package.json', 'utf8')) as { version: string }).version;
    const { recordRelease } = await import('./migrations.ts');
    console.log(`${releasedVersion}: ${await recordRelease(releasedVersion)} migrations`);
  },
};

const [command = 'start', ...args] = process.argv.slice(2);
const execute = COMMANDS[command];
if (!execute) {
  console.error(USAGE);
  process.exit(command === '--help' || command === 'help' ? 0 : 1);
}
try {
  await execute(args);
} catch (error) {
  console.error(startFailureMessage(error, `embedded-supabase ${command} failed`));
  process.exit(1);
}
