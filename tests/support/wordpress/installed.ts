import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../engines/installed.ts';

/** The oldest supported version of WordPress, and a later one. */
export type Version = '6.4' | '6.5';

const PACKAGE = 'tests/node_modules/@wp-playground/wordpress-builds';

/** Returns the paths of WordPress's programs (a zip file) and of its scripts, styles and pictures (a folder). */
export const wordpressFiles = (version: Version) => ({
  archive: join(PACKAGE, `src/wordpress/wp-${version}.zip`),
  assets: join(PACKAGE, `public/wp-${version}`),
});

const missingProgram = ['php', 'mariadbd', 'mariadb-install-db'].find((name) => !findProgram(name));

/** Reason why the tests in WordPress cannot run on this machine. Undefined if they can. */
export const MISSING_REASON = missingProgram
  ? `no ${missingProgram} is on the PATH`
  : existsSync(PACKAGE)
    ? undefined
    : 'npm run tools did not install WordPress';

/** Returns the path of a program. @throws Error when it is not installed */
export function programPath(name: string): string {
  const path = findProgram(name);
  if (!path) throw new Error(`${name} is not installed.`);
  return path;
}
