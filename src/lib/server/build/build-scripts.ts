import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { AstroIntegration } from 'astro';
import type { Plugin } from 'vite';

/** How islands start, how their scripts are cut into files, and that these lie there packed. */
export function buildScripts(): AstroIntegration {
  return {
    name: 'stoppress-scripts',
    hooks: {
      'astro:config:setup': ({ addClientDirective, updateConfig }) => {
        addClientDirective({
          name: 'connection',
          entrypoint: './src/islands/network/connection-directive.ts',
        });
        updateConfig({ vite: { plugins: [ownCopies(), fewFiles()] } });
      },
      'astro:build:done': ({ dir }) => pack(fileURLToPath(new URL('_astro/', dir))),
    },
  };
}

/**
 * What every island needs, in one file: React and what islands share. Each file costs a head, and what one file asks
 * for after another costs a round trip. Nothing may come in here that readers have no use for.
 */
const SHARED = [
  /node_modules\/(react|react-dom|scheduler|nanostores|@nanostores\/react)\//,
  /src\/lib\/domain\/time\.ts$/,
  /src\/lib\/domain\/reader-coverage\.ts$/,
  /vite\/preload-helper/,
  /src\/lib\/i18n\/(language|messages)\.ts$/,
  /src\/islands\/network\/(hydrate|connection-quality|load-messages|retry|service-worker)\.ts$/,
];
const SOCKET = [/node_modules\/@supabase\/(realtime-js|phoenix)\//, /src\/islands\/live-feed\/socket\.ts/];

/** Files of scripts as few as readers' lines want them. */
function fewFiles(): Plugin {
  return {
    name: 'stoppress-few-files',
    applyToEnvironment: ({ name }) => name === 'client',
    configEnvironment: (name) => (name === 'client' ? { build: { modulePreload: false } } : null),
    // Astro asks for exact exports, which would put a file of one line in front of the shared one.
    options: (options) => ({ ...options, preserveEntrySignatures: 'allow-extension' }),
    outputOptions: (options) => ({
      ...options,
      codeSplitting: {
        groups: [
          { name: 'client', test: (id: string) => SHARED.some((part) => part.test(id)), priority: 1 },
          { name: 'socket', test: (id: string) => SOCKET.some((part) => part.test(id)) },
        ],
      },
    }),
    // Vite's helper loads what an import() will need at the same time: here that is there already.
    load: {
      order: 'pre',
      filter: { id: /^\0vite\/preload-helper/ },
      handler: () => 'export const __vitePreload = (load) => load();',
    },
  };
}

/**
 * A part that stands in the page itself: one with `?page` after its name shares nothing with files. Of two such parts
 * that import the same, each has a name of its own (`?page=desk`), or that would become a file.
 */
const OWN = /\?page(?:=[a-z]+)?$/;

/**
 * Gives parts that stand in the page their own copy of what they import. What is shared with a file would be a file
 * itself, and the page would have to ask for it.
 */
function ownCopies(): Plugin {
  return {
    name: 'stoppress-own-copies',
    enforce: 'pre',
    async resolveId(source, importer) {
      const own = importer && OWN.exec(importer)?.[0];
      if (!own || !source.startsWith('.')) return null;
      const found = await this.resolve(source, importer.slice(0, -own.length));
      return found && `${found.id}${own}`;
    },
  };
}

/** Puts each file's packed forms beside it, as small as they get: no reader waits for that, and no server works on it. */
async function pack(folder: string): Promise<void> {
  await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = `${folder}${name}`;
      const bytes = await readFile(path);
      await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
      await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}
