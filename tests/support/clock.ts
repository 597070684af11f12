import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = [
  ...globSync('/usr/lib/*/faketime/libfaketimeMT.so.1'),
  '/usr/lib/faketime/libfaketimeMT.so.1',
  '/usr/local/lib/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path));

/** The reason why the clock cannot be set on this machine, or undefined. */
export const NO_CLOCK = LIBRARY
  ? undefined
  : 'libfaketime is not installed (Debian: apt-get install faketime)';

export type Clock = {
  /** Environment of the programs that use this clock. */
  environment: Record<string, string>;
  /** Sets the clock to an offset from the machine's clock, in seconds. Running programs see it at once. */
  set(seconds: number): Promise<void>;
  remove(): Promise<void>;
};

/** Creates a wall clock that can be set while programs run. Monotonic clocks are not changed. */
export async function createClock(): Promise<Clock> {
  if (!LIBRARY) throw new Error(NO_CLOCK);
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-clock-'));
  const file = join(folder, 'offset');
  // Programs read the file whenever they read the clock. It is written in place, and all values have the same length.
  const set = (seconds: number) =>
    writeFile(file, `${seconds < 0 ? '-' : '+'}${String(Math.abs(seconds)).padStart(12, '0')}\n`);
  await set(0);
  return {
    environment: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
