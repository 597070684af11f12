import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** What a process is made of besides its settings: whatever else changes, it need not be started anew for. */
const PARTS = {
  backend: ['supabase', 'package-lock.json'],
  supervisor: ['src/lib/server/start.ts', 'src/lib/server/supervisor', 'src/lib/text/commands.ts'],
};

/** A digest of what a program is made of on the disk at the moment, and of its settings. */
export async function digestOf(program: keyof typeof PARTS, settings: unknown = null): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const part of PARTS[program]) {
    for (const path of await filesOf(join(ROOT, part))) hash.update(`${path}\0`).update(await readFile(path));
  }
  return hash.digest('base64url');
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') return null;
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  if (entries === null) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
