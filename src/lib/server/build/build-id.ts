import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AstroIntegration } from 'astro';
import { SERVER } from '../../i18n/cli.ts';

/** Files and folders that determine the build. */
const SOURCES = ['src', 'public', 'astro.config.mjs', 'package-lock.json', 'tsconfig.json'];
/** Next to the built server, outside the public files. */
const RECORD = 'dist/server/build-id';

/** The id of a build: a digest of its sources, so that rebuilding the same sources does not make open pages reload. */
export const buildId = async (root: string): Promise<string> =>
  (await digestOfFiles(root, SOURCES)).slice(0, 10);

/** A digest of files and of all files in folders. @param text becomes part of the digest */
export async function digestOfFiles(root: string, sources: string[], text = ''): Promise<string> {
  const hash = createHash('sha256').update(text);
  for (const path of await sourceFiles(root, sources)) {
    hash.update(`${path}\0`).update(await readFile(join(root, path)));
  }
  return hash.digest('base64url');
}

/** The id of the finished build in `dist`; undefined when there is none. */
export async function builtId(root: string): Promise<string | undefined> {
  return readFile(join(root, RECORD), 'utf8').catch(() => undefined);
}

/** Astro integration that gives the build its id, and records the id when the build has finished. */
export function stampBuild(): AstroIntegration {
  const root = process.cwd();
  let id = 'dev';
  return {
    name: 'stoppress-build-id',
    hooks: {
      'astro:config:setup': async ({ command, updateConfig }) => {
        if (command === 'build') id = await buildId(root);
        updateConfig({ vite: { define: { __STOPPRESS_BUILD__: JSON.stringify(id) } } });
      },
      'astro:build:done': () => writeFile(join(root, RECORD), id),
    },
  };
}

async function sourceFiles(root: string, sources: string[]): Promise<string[]> {
  const files: string[] = [];
  for (const source of sources) {
    const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTDIR') return null;
        if (error.code === 'ENOENT') return [];
        throw error;
      },
    );
    if (entries === null) files.push(source);
    else
      for (const entry of entries)
        if (entry.isFile()) files.push(join(entry.parentPath, entry.name).slice(root.length + 1));
  }
  return files.sort();
}

export const ROOT = resolve(import.meta.dirname, '../../../..');
export const DIST = resolve(ROOT, 'dist');
/** The built request handler. */
export const ENTRY = resolve(DIST, 'server/entry.mjs');

/** The site has no build. The message is a sentence for the owner. */
export class NotBuilt extends Error {
  override name = 'NotBuilt';
}

/** The new site cannot render its pages now, so the old one keeps running. */
export class NotReady extends Error {
  override name = 'NotReady';
}

/** @throws NotBuilt */
export function assertBuilt(): void {
  if (!existsSync(ENTRY)) throw new NotBuilt(SERVER.notBuilt);
}
