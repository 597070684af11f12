import { resolve } from 'node:path';
import { SITE_FLAGS, THRIFTY_ENVIRONMENT } from './thrift.ts';

/*
 * What `npm start` runs: the server in the place of this program, in the same process, because what saves memory must
 * be said before Node begins. Where a process cannot be replaced (Windows) the server runs as it is.
 */
const MAIN = resolve(import.meta.dirname, 'main.ts');
const commandLine = [process.execPath, ...process.execArgv, ...SITE_FLAGS, MAIN, ...process.argv.slice(2)];

try {
  process.execve?.(process.execPath, commandLine, { ...THRIFTY_ENVIRONMENT, ...process.env });
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM') throw error;
}
await import('./main.ts');
