import { readdir, readFile, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@astrojs/react';
import type { AstroIntegration } from 'astro';
import { build, type Plugin } from 'vite';
import { deskFilesPath } from '../../domain/paths.ts';
import { builtId } from './build-id.ts';

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

/** The part of a build's chunk that matters for its dependencies. */
export type Script = {
  fileName: string;
  moduleIds: string[];
  /** The module that the chunk stands for, if its exports are in another chunk. */
  facadeModuleId: string | null;
  imports: string[];
  dynamicImports: string[];
};

/** Modules that the offline desk needs. */
const NEEDED = ['src/islands/OfflineDesk.tsx', 'src/islands/network/hydrate.ts'];
/** Entry modules of the desk's pages. Storing their scripts saves requests on a poor connection. */
const BEGINNINGS = [
  ...NEEDED,
  'src/islands/CoverageControls.tsx',
  'src/islands/UpdateComposer.tsx',
  'src/islands/UpdateList.tsx',
  'src/layouts/DeskPage.astro',
];

/** Writes, next to the scripts of each build, the list of those that the desk's service worker stores. */
export function deskFiles(): AstroIntegration {
  let scripts: Script[] = [];
  const listen: Plugin = {
    name: 'stoppress-desk-files',
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle(_, bundle) {
      scripts = Object.values(bundle).filter((output) => output.type === 'chunk');
    },
  };
  return {
    name: 'stoppress-desk-files',
    hooks: {
      'astro:config:setup': ({ updateConfig }) => {
        updateConfig({ vite: { plugins: [listen] } });
      },
      'astro:build:done': async ({ dir }) => {
        const id = await builtId(process.cwd());
        if (!id) throw new Error('the build has no id');
        const files = filesOfDesk(scripts, process.cwd());
        await writeFile(fileURLToPath(new URL(`.${deskFilesPath(id)}`, dir)), JSON.stringify(files));
      },
    },
  };
}

/**
 * The URLs of all scripts that the desk can load, including dynamic imports.
 * @throws Error when no script contains an island that the desk needs
 */
export function filesOfDesk(scripts: Script[], root: string): string[] {
  const byName = new Map(scripts.map((script) => [script.fileName, script]));
  const startOf = (source: string) => {
    const isSource = (id: string) => relative(root, id.replace(/[?].*$/, '')) === source;
    return scripts
      .filter(({ moduleIds, facadeModuleId }) => [...moduleIds, facadeModuleId ?? ''].some(isSource))
      .map(({ fileName }) => fileName);
  };
  const missing = NEEDED.find((source) => startOf(source).length === 0);
  if (missing) throw new Error(`${missing} is in no script`);
  const names = new Set(BEGINNINGS.flatMap(startOf));
  // A Set iterates over items that are added during the iteration.
  for (const name of names) {
    const { imports = [], dynamicImports = [] } = byName.get(name) ?? {};
    for (const other of [...imports, ...dynamicImports]) names.add(other);
  }
  return [...names].map((name) => `/${name}`).sort();
}

/** Virtual module that exports the source text of each worker: `worker`, `leaving` and `deskWorker`. */
const MODULE = 'virtual:offline-worker';
const LOADED = `\0${MODULE}`;

/** Files in src/islands/offline. */
const WORKERS = { worker: 'worker.ts', leaving: 'leaving.ts', deskWorker: 'desk-worker.ts' };

/**
 * Bundles each service worker of src/islands/offline into a text that a page serves. They are not files of the build,
 * because the response depends on a setting.
 */
export function offlineWorker(): AstroIntegration {
  const bundler = {
    name: 'stoppress-offline-worker',
    resolveId: (id: string) => (id === MODULE ? LOADED : undefined),
    async load(id: string) {
      if (id !== LOADED) return;
      const texts = await Promise.all(
        Object.entries(WORKERS).map(async ([name, file]) => [name, await bundle(file)] as const),
      );
      return texts.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`).join('\n');
    },
  };
  return {
    name: 'stoppress-offline-worker',
    hooks: {
      'astro:config:setup': ({ updateConfig }) => {
        updateConfig({ vite: { plugins: [bundler] } });
      },
    },
  };
}

/** Bundles into a single script: an installed worker cannot load further files. */
async function bundle(file: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    // The library logs much unless it is built for production.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: {
        input: resolve(import.meta.dirname, '../../../islands/offline', file),
        output: { format: 'iife' },
      },
    },
  });
  const outputs = [result].flat().flatMap((build) => ('output' in build ? build.output : []));
  const [script, ...more] = outputs.filter((output) => output.type === 'chunk');
  if (!script || more.length > 0) throw new Error(`${file} is not one script`);
  return script.code;
}

/**
 * Global names that React looks up and the build defines as undefined: developer tools, Node's `setImmediate`, and the
 * Navigation API, with which React would show the page as loading during transitions.
 */
const UNDEFINED_GLOBALS = ['__REACT_DEVTOOLS_GLOBAL_HOOK__', 'setImmediate', 'navigation'];

/**
 * `@astrojs/react` that hydrates by `network/hydrate.ts`, and defines `UNDEFINED_GLOBALS` in the browser's scripts. It
 * renders each component to a text at once, because no component waits for data.
 */
export function reactIslands(): AstroIntegration {
  const { name, hooks } = react({ experimentalDisableStreaming: true });
  const define = Object.fromEntries(UNDEFINED_GLOBALS.map((global) => [global, 'undefined']));
  return {
    name,
    hooks: {
      ...hooks,
      'astro:config:setup': (setup) => {
        setup.updateConfig({ vite: { environments: { client: { define } } } });
        return hooks['astro:config:setup']?.({
          ...setup,
          addRenderer: (renderer) =>
            setup.addRenderer({ ...renderer, clientEntrypoint: './src/islands/network/hydrate.ts' }),
        });
      },
    },
  };
}
