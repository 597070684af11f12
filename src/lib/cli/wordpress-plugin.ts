import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import { WORDPRESS } from '../i18n/cli.ts';
import { failure } from '../server/program.ts';
import { calledPath, readArguments, UsageError } from './command.ts';

const SOURCE = resolve(import.meta.dirname, '../../../integrations/wordpress');

/** Folder of the plugin in the archive and in `wp-content/plugins`. */
const NAME = 'stoppress';

/** Packs the plugin as an archive that WordPress installs. The same files always give the same bytes. */
async function packPlugin(): Promise<Uint8Array> {
  const files: Zippable = {};
  const entries = await readdir(SOURCE, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) {
    files[`${NAME}/${relative(SOURCE, path).replaceAll('\\', '/')}`] = await readFile(path);
  }
  // A zip file has local times.
  return zipSync(files, { mtime: new Date(2026, 0, 1) });
}

function readTarget(): string {
  const { positionals } = readArguments(WORDPRESS.usage, { options: {}, allowPositionals: true });
  const [file = `${NAME}.zip`, ...more] = positionals;
  if (more.length > 0) throw new UsageError(WORDPRESS.usage);
  return calledPath(file);
}

try {
  const target = readTarget();
  const archive = await packPlugin();
  await writeFile(target, archive);
  console.log(WORDPRESS.done(target, archive.length));
} catch (error) {
  const { code, path } = error as NodeJS.ErrnoException;
  if (error instanceof UsageError) console.error(error.message);
  else console.error(code && path ? WORDPRESS.unwritable(path, code) : failure(error));
  process.exitCode = 1;
}
