import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { AstroIntegration } from 'astro';
import type { Plugin } from 'vite';

/** Configures the browser scripts: the directive that starts islands, the chunks, and their compressed variants. */
export function buildScripts(): AstroIntegration {
  return {
    name: 'stoppress-scripts',
    hooks: {
      'astro:config:setup': ({ addClientDirective, updateConfig }) => {
        addClientDirective({
          name: 'connection',
          entrypoint: './src/islands/network/connection-directive.ts',
        });
        updateConfig({ vite: { plugins: [inlineCopies(), combineChunks()] } });
      },
      'astro:build:done': ({ dir }) => compressFiles(fileURLToPath(new URL('_astro/', dir))),
    },
  };
}

/**
 * Modules that every island needs, in one file. Each file costs headers, and chained imports cost a round trip. Only
 * modules that readers need belong here.
 */
const SHARED = [
  /node_modules\/(react|react-dom|scheduler|nanostores|@nanostores\/react)\//,
  /src\/lib\/domain\/time\.ts$/,
  /src\/lib\/domain\/reader-coverage\.ts$/,
  /vite\/preload-helper/,
  /src\/lib\/i18n\/(language|messages)\.ts$/,
  /src\/islands\/network\/(hydrate|load-messages|network|retry|service-worker)\.ts$/,
];
const SOCKET = [/node_modules\/@supabase\/(realtime-js|phoenix)\//, /src\/islands\/live-feed\/socket\.ts/];

/** Combines scripts into few files. */
function combineChunks(): Plugin {
  return {
    name: 'stoppress-few-files',
    applyToEnvironment: ({ name }) => name === 'client',
    configEnvironment: (name) => (name === 'client' ? { build: { modulePreload: false } } : null),
    // Astro's default ("strict") would add a one-line file in front of the shared chunk.
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
    // Vite's helper preloads the dependencies of an import(). Here they are loaded already.
    load: {
      order: 'pre',
      filter: { id: /^\0vite\/preload-helper/ },
      handler: () => 'export const __vitePreload = (load) => load();',
    },
  };
}

/**
 * Marks a module that is inlined in a page and shares nothing with script files. If two such modules import the same,
 * each has a name (`?page=desk`); otherwise the shared part would become a file.
 */
const INLINED = /\?page(?:=[a-z]+)?$/;

/**
 * Gives inlined modules their own copy of their imports. A module that they shared with a file would become a file of
 * its own, which the page would have to request.
 */
function inlineCopies(): Plugin {
  return {
    name: 'stoppress-own-copies',
    enforce: 'pre',
    async resolveId(source, importer) {
      const marker = importer && INLINED.exec(importer)?.[0];
      if (!marker || !source.startsWith('.')) return null;
      const resolved = await this.resolve(source, importer.slice(0, -marker.length));
      return resolved && `${resolved.id}${marker}`;
    },
  };
}

/** Writes brotli and gzip variants of each file at the best compression. */
async function compressFiles(folder: string): Promise<void> {
  await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = `${folder}${name}`;
      const bytes = await readFile(path);
      await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
      await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}
