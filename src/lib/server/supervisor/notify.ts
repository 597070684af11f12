import { execFile } from 'node:child_process';
import type { Environment } from '../settings.ts';

/**
 * Tells systemd that visitors are answered, where it asked to be told (Type=notify): by its own program, because Node knows
 * no datagrams on a Unix socket. Where that is missing, the unit says Type=exec.
 */
export function notifyReady(environment: Environment, fail: (error: unknown) => void): void {
  const { NOTIFY_SOCKET, PATH } = environment;
  if (!NOTIFY_SOCKET) return;
  const env = { NOTIFY_SOCKET, PATH };
  execFile('systemd-notify', ['--ready', `--pid=${process.pid}`], { env }, (error) => error && fail(error));
}
