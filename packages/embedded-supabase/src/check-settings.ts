import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checkServer } from './engine/postgres-check.ts';
import { notifyParent } from './process.ts';
import { parseSettings } from './settings.ts';
import { replaceTerms, StartError } from './start-error.ts';

/* Reports mistakes in the settings to the parent process. Starts and writes nothing. */
const { mistakes } = parseSettings(process.env);
const { EMBEDDED_SUPABASE_DATA: data, EMBEDDED_SUPABASE_BACKUPS: backups } = process.env;
mistakes.push(...(await folderMistakes('EMBEDDED_SUPABASE_DATA', data)));
if (backups !== data) mistakes.push(...(await folderMistakes('EMBEDDED_SUPABASE_BACKUPS', backups)));
const databaseUrl = process.env.DATABASE_URL?.trim();
if (databaseUrl && URL.canParse(databaseUrl) && /^postgres(ql)?:/.test(databaseUrl)) {
  await checkServer(databaseUrl, {}).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    mistakes.push(error.message);
  });
}
await notifyParent({ type: 'checked', mistakes: mistakes.map(replaceTerms) });
process.exit(0);

/**
 * Returns the mistake in the setting of a folder, if any. A missing folder is created later, so its nearest existing
 * parent must be writable.
 */
async function folderMistakes(name: string, setting: string | undefined): Promise<string[]> {
  if (!setting) return [];
  const folder = resolve(setting);
  for (let path = folder; ; path = dirname(path)) {
    const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error.code);
    if ((stats === 'ENOENT' || stats === 'ENOTDIR') && path !== dirname(path)) continue;
    if (typeof stats === 'string' || stats === undefined) {
      return [`${name} names a folder that cannot be used here: ${path} (${stats}).`];
    }
    if (!stats.isDirectory()) return [`${name} must be a folder: ${path} is a file.`];
    if (path === folder && process.getuid && process.getuid() !== 0 && stats.uid !== process.getuid()) {
      return [`${name} names a folder of another user of this machine: ${path}.`];
    }
    const isWritable = await access(path, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    return isWritable ? [] : [`${name} names a folder that cannot be written to: ${path}.`];
  }
}
