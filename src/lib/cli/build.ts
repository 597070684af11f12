import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { forkEmbeddedSupabase } from 'embedded-supabase';
import { buildId, builtId } from '../server/build/build-id.ts';
import { BACKEND_FLAGS, MEMORY_ENVIRONMENT, SITE_FLAGS, SUPERVISOR_FLAGS } from '../server/memory-flags.ts';

/** How long to wait for the build of another process, which takes about 10 s. In milliseconds. */
const LOCK_TIMEOUT_MS = 180_000;

/**
 * Builds the site into `dist`, unless the existing build has the current sources. Only one process builds at a time;
 * others wait and then reuse its build.
 * @throws Error with the output of the failed build
 */
export async function buildSite(root = process.cwd()): Promise<'built' | 'fresh'> {
  mkdirSync(join(root, '.stoppress'), { recursive: true });
  // SQLite locks wait for each other and end with their process.
  const lock = new DatabaseSync(join(root, '.stoppress/build.lock'), { timeout: LOCK_TIMEOUT_MS });
  try {
    lock.exec('begin exclusive');
    if ((await builtId(root)) === (await buildId(root))) return 'fresh';
    await runBuild(root);
    return 'built';
  } finally {
    lock.close();
  }
}

async function runBuild(root: string): Promise<void> {
  const astro = join(root, 'node_modules/astro/bin/astro.mjs');
  const child = spawn(process.execPath, [astro, 'build'], {
    cwd: root,
    // A test runner sets NODE_ENV=test, which would build a development bundle of React.
    env: { ...process.env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The site could not be built.\n${output}`);
}

// With these settings each program loads all its modules and then exits with an error. It opens no port or file.
const PROGRAMS = [
  { main: '../server/supervisor/main.ts', flags: SUPERVISOR_FLAGS, environment: { PORT: 'none' } },
  { main: '../server/main.ts', flags: SITE_FLAGS, environment: { PORT: 'none' } },
  // Exits because it has no IPC channel.
  { main: '../server/site-process.ts', flags: SITE_FLAGS, environment: {} },
];

/** The backend refuses this port after loading all its modules. */
const NO_START = { port: -1 };

/** Compiles the programs into the compile cache, which makes their first start faster and smaller. */
async function warmPrograms(): Promise<void> {
  for (const { main, flags, environment } of PROGRAMS) {
    const env = { ...MEMORY_ENVIRONMENT, ...environment };
    const child = spawn(process.execPath, [...flags, resolve(import.meta.dirname, main)], {
      env,
      stdio: 'ignore',
    });
    await once(child, 'close');
  }
  const backend = forkEmbeddedSupabase(NO_START, {
    execArgv: BACKEND_FLAGS,
    environment: MEMORY_ENVIRONMENT,
    stderr: 'ignore',
  });
  await once(backend, 'close');
}

if (import.meta.main) {
  await buildSite();
  await warmPrograms();
}
