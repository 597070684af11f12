import { closeSync, openSync } from 'node:fs';

/**
 * SIGHUP means two things: a deploy, when a person or systemd sends it; and the end of a terminal that this program was
 * started in.
 * @returns whether the terminal is gone, asked when the signal has come
 */
export function watchTerminal(): () => boolean {
  const had = hasTerminal();
  return () => had && !hasTerminal();
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
