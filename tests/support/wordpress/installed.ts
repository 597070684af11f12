import { globSync } from 'node:fs';
import { findProgram } from '../engines/installed.ts';

/** The archive with WordPress. */
export const [WORDPRESS_ARCHIVE] = globSync(
  'tests/node_modules/@wp-playground/wordpress-builds/**/wp-6.5.zip',
);

const missingProgram = ['php', 'mariadbd', 'mariadb-install-db'].find((name) => !findProgram(name));

/** Reason why the tests in WordPress cannot run on this machine. Undefined if they can. */
export const MISSING_REASON = missingProgram
  ? `no ${missingProgram} is on the PATH`
  : WORDPRESS_ARCHIVE
    ? undefined
    : 'npm run tools did not install WordPress';

/** Returns the path of a program. @throws Error when it is not installed */
export function programPath(name: string): string {
  const path = findProgram(name);
  if (!path) throw new Error(`${name} is not installed.`);
  return path;
}
