import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { SUPERVISOR_FLAGS, THRIFTY_ENVIRONMENT } from './memory-flags.ts';

/*
 * What `npm start` runs: the supervisor in the place of this program, in the same process, because what saves memory must
 * be said before Node begins. A port that systemd has handed to this process would not outlive that: there the supervisor
 * runs as it is. Where no port can be handed on at all (Windows), the site runs in one process, without a supervisor.
 */
const MAIN = resolve(import.meta.dirname, 'supervisor/main.ts');
const commandLine = [
  process.execPath,
  ...process.execArgv,
  ...SUPERVISOR_FLAGS,
  MAIN,
  ...process.argv.slice(2),
];

if (process.platform === 'win32') {
  await import('./main.ts');
} else {
  if (!process.env.LISTEN_FDS) {
    process.execve?.(process.execPath, commandLine, { ...THRIFTY_ENVIRONMENT, ...process.env });
  }
  enableCompileCache(THRIFTY_ENVIRONMENT.NODE_COMPILE_CACHE);
  await import('./supervisor/main.ts');
}
