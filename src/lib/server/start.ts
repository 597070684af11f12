import { resolve } from 'node:path';
import { SUPERVISOR_FLAGS, THRIFTY_ENVIRONMENT } from './thrift.ts';

/*
 * What `npm start` runs: the supervisor in the place of this program, in the same process, because what saves memory must
 * be said before Node begins. Where a process cannot be replaced, nor a port handed on (Windows), the site runs as it is,
 * without a supervisor.
 */
const MAIN = resolve(import.meta.dirname, 'supervisor/main.ts');
const commandLine = [
  process.execPath,
  ...process.execArgv,
  ...SUPERVISOR_FLAGS,
  MAIN,
  ...process.argv.slice(2),
];

try {
  process.execve?.(process.execPath, commandLine, { ...THRIFTY_ENVIRONMENT, ...process.env });
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM') throw error;
}
await import('./main.ts');
