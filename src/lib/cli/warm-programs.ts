import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { BACKEND_FLAGS, SITE_FLAGS, SUPERVISOR_FLAGS, THRIFTY_ENVIRONMENT } from '../server/memory-flags.ts';

// Each refuses what it is told here, when all that it is made of has been loaded: nothing is opened or started.
const PROGRAMS = [
  { main: '../server/supervisor/main.ts', flags: SUPERVISOR_FLAGS, environment: { PORT: 'none' } },
  { main: '../server/main.ts', flags: SITE_FLAGS, environment: { PORT: 'none' } },
  // Without a channel it has nothing to wait for.
  { main: '../server/site-process.ts', flags: SITE_FLAGS, environment: {} },
  {
    main: '../../../packages/embedded-supabase/src/main.ts',
    flags: BACKEND_FLAGS,
    environment: { STOPPRESS_DATA: '' },
  },
];

/** Has the programs compiled before their first start, which then takes less time and memory. */
export async function warmPrograms(): Promise<void> {
  for (const { main, flags, environment } of PROGRAMS) {
    const env = { ...THRIFTY_ENVIRONMENT, ...environment };
    const child = spawn(process.execPath, [...flags, resolve(import.meta.dirname, main)], {
      env,
      stdio: 'ignore',
    });
    await once(child, 'close');
  }
}
