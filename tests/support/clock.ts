import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = [
  ...globSync('/usr/lib/*/faketime/libfaketimeMT.so.1'),
  '/usr/lib/faketime/libfaketimeMT.so.1',
  '/usr/local/lib/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path));

/** Why no clock can be set here; undefined when one can. */
export const NO_CLOCK = LIBRARY
  ? undefined
  : 'libfaketime is not installed (Debian: apt-get install faketime)';

export type Clock = {
  /** What a program is started with whose clock this is. */
  environment: Record<string, string>;
  /** Sets the clock so many seconds beside the machine's, at once, under a program that runs. */
  set(seconds: number): Promise<void>;
  remove(): Promise<void>;
};

/** A wall clock that can be set under programs that run. What counts how long something lasts goes on as it was. */
export async function createClock(): Promise<Clock> {
  if (!LIBRARY) throw new Error(NO_CLOCK);
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-clock-'));
  const file = join(folder, 'offset');
  // Written in place: it is read at every look at the clock, and the same length is never half a number.
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
