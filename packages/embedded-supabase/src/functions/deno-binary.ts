import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { log } from '../log/log.ts';

const require = createRequire(import.meta.url);

/**
 * Deno as npm brought it: the package of this platform, whose binary needs no install script.
 * @returns undefined where there is none (musl, say), or where Deno cannot listen on a socket in the file system
 */
export function findDeno(): string | undefined {
  const { platform, arch } = process;
  if (platform === 'win32') return undefined;
  const target = platform === 'linux' ? `linux-${arch}-glibc` : `${platform}-${arch}`;
  try {
    const folder = dirname(require.resolve(`@deno/${target}/package.json`));
    const binary = join(folder, 'deno');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Looks for Deno whenever a function starts, because it may be removed and installed again. Logs each change once.
 */
export function watchDeno(look: () => string | undefined) {
  let isGone = false;

  function gone(why: string, error?: Error): void {
    if (!isGone) log.error(`Functions cannot run: ${why} Everything else does.`, { error });
    isGone = true;
  }

  return {
    /** @returns undefined where there is none */
    find(): string | undefined {
      const binary = look();
      if (!binary) gone('npm has no Deno for this machine.');
      return binary;
    },
    /** It could not be run. */
    failed(error: Error): void {
      gone('Deno could not be run.', error);
    },
    runs(): void {
      if (isGone) log.warn('Functions run again.');
      isGone = false;
    },
  };
}
