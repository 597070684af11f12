import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Returns the absolute path of the first of these programs that is installed. Debian has servers in `/usr/sbin`, which
 * is not on every PATH.
 */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

export const FIREFOX = findProgram('firefox-esr', 'firefox');

/** WebKitGTK's own browser. The path of its folder contains the architecture and the API version. */
export const [MINI_BROWSER] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');

const missingPrograms = ['WebKitWebDriver', 'Xvfb', 'dbus-run-session'].filter((name) => !findProgram(name));

/** Reasons why an engine's journeys cannot run on this machine. Undefined if they can. */
export const MISSING_REASONS = {
  firefox: FIREFOX ? undefined : 'no firefox-esr is on the PATH',
  webkit: missingPrograms[0]
    ? `no ${missingPrograms[0]} is on the PATH`
    : MINI_BROWSER
      ? undefined
      : 'no MiniBrowser of WebKitGTK is in /usr/lib',
};

export type EngineName = keyof typeof MISSING_REASONS;
