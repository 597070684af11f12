import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { SERVER } from '../../src/lib/i18n/cli.ts';
import { serviceClient } from './backend.ts';
import { newDataFolder } from './data-folders.ts';
import { startChild } from './processes.ts';

export type TestSite = {
  /** Base URL without a trailing slash. The backend's paths are below it. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** The data folder, absolute. */
  data: string;
  pid: number;
  /** Client with the secret key, which passes every policy. */
  service: SupabaseClient;
  /** Everything the server has written to stderr so far. */
  errors(): string;
  /** Everything the server has written to stdout so far. */
  output(): string;
  stop(): Promise<number | null>;
  /** Stops the server and leaves its data. */
  stopProcess(): Promise<number | null>;
};

/** Returns the lines that a site wrote to stderr, without those about slow requests, which a busy machine causes. */
export const errorLines = (site: Pick<TestSite, 'errors'>): string[] =>
  site
    .errors()
    .split('\n')
    .filter((line) => line && !line.startsWith(SERVER.slowRequest));

/** The built site in one process, the built site with its supervisor, or `npm run dev`. */
export type Program = 'main' | 'supervisor/main' | 'dev';

type Options = {
  program?: Program;
  /** A data folder to start on. `stop()` leaves it in place. By default a new one, which `stop()` deletes. */
  data?: string;
  /** More environment variables for the server. */
  environment?: Record<string, string>;
  /** Folder of the program. The default is this project. */
  root?: string;
};

/** Starts the site with its embedded backend, as `npm start` does, on a free port and a temporary data folder. */
export async function startSite(options: Options = {}): Promise<TestSite> {
  const data = options.data ?? (await newDataFolder());
  const keys = {
    publishableKey: `sb_publishable_${randomUUID()}`,
    secretKey: `sb_secret_${randomUUID()}`,
  };
  const child = await startChild<{ url: string }>(
    resolve(options.root ?? '', `src/lib/server/${options.program ?? 'main'}.ts`),
    {
      PORT: '0',
      STOPPRESS_DATA: data,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: keys.publishableKey,
      SUPABASE_SECRET_KEY: keys.secretKey,
      ...options.environment,
    },
  );
  const { url } = child.ready;
  return {
    ...keys,
    url,
    data,
    pid: child.pid,
    service: serviceClient({ url, ...keys }),
    errors: child.errors,
    output: child.output,
    stopProcess: child.stop,
    async stop() {
      const exitCode = await child.stop();
      if (options.data === undefined) await rm(data, { recursive: true, force: true });
      return exitCode;
    },
  };
}

/**
 * Copies the program to a folder as a later deployment. The sources are the same. The build id and the names of all
 * scripts differ.
 */
export async function writeNextBuild(root: string): Promise<void> {
  await mkdir(root);
  for (const part of ['node_modules', 'supabase', 'package.json'])
    await symlink(resolve(part), join(root, part));
  for (const part of ['src', 'packages', 'dist'])
    await cp(resolve(part), join(root, part), { recursive: true });

  const renamed = [await readFile(join(root, 'dist/server/build-id'), 'utf8')];
  const assets = join(root, 'dist/client/_astro');
  for (const name of await readdir(assets)) {
    const [, start, digest, end] = /^(.+\.)([\w-]{8}|[\w-]{10}(?=\.json$))(\.js|\.json)$/.exec(name) ?? [];
    if (!digest) {
      // Compressed files would still contain the earlier names.
      await rm(join(assets, name));
      continue;
    }
    renamed.push(digest);
    await rename(join(assets, name), join(assets, `${start}${reversed(digest)}${end}`));
  }
  for (const entry of await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.m?js$|\.json$|build-id$/.test(entry.name)) continue;
    let text = await readFile(path, 'utf8');
    for (const name of renamed) text = text.replaceAll(name, reversed(name));
    await writeFile(path, text);
  }
}

const reversed = (digest: string) => [...digest].reverse().join('');
