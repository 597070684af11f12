import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buildId, builtId } from '../server/build/build-id.ts';

/** How long to wait for the build of another process, which takes about 10 s. In milliseconds. */
const LOCK_TIMEOUT_MS = 180_000;

/**
 * Builds the site into `dist`, unless the existing build has the current sources. Only one process builds at a time;
 * others wait and then reuse its build.
 * @throws Error with the output of the failed build
 */
export async function buildSite(root = process.cwd()): Promise<'built' | 'fresh'> {
  mkdirSync(join(root, '.stoppress'), { recursive: true });
  // SQLite locks wait for each other and end with their process.
  const lock = new DatabaseSync(join(root, '.stoppress/build.lock'), { timeout: LOCK_TIMEOUT_MS });
  try {
    lock.exec('begin exclusive');
    if ((await builtId(root)) === (await buildId(root))) return 'fresh';
    await runBuild(root);
    return 'built';
  } finally {
    lock.close();
  }
}

async function runBuild(root: string): Promise<void> {
  const astro = join(root, 'node_modules/astro/bin/astro.mjs');
  const child = spawn(process.execPath, [astro, 'build'], {
    cwd: root,
    // A test runner sets NODE_ENV=test, which would build a development bundle of React.
    env: { ...process.env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The site could not be built.\n${output}`);
}
