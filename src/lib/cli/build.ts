import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { forkEmbeddedSupabase } from 'embedded-supabase';
import { BACKEND_FLAGS, MEMORY_ENVIRONMENT, SITE_FLAGS, SUPERVISOR_FLAGS } from '../server/memory-flags.ts';
import { buildSite } from './build-site.ts';

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

await buildSite();
await warmPrograms();
