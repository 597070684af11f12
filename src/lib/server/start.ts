import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { MEMORY_ENVIRONMENT, SUPERVISOR_FLAGS } from './memory-flags.ts';

/* Entry point of `npm start`. It replaces itself by the supervisor in the same process, because V8 reads memory
   flags only at its start. A port that systemd passed would be lost by that, so the supervisor then runs without the
   flags. On Windows, which cannot pass ports between processes, the site runs in one process without a supervisor. */
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
    process.execve?.(process.execPath, commandLine, { ...MEMORY_ENVIRONMENT, ...process.env });
  }
  enableCompileCache(MEMORY_ENVIRONMENT.NODE_COMPILE_CACHE);
  await import('./supervisor/main.ts');
}
