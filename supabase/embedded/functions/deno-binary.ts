import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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
