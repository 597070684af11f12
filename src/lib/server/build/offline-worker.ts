import { resolve } from 'node:path';
import type { AstroIntegration } from 'astro';
import { build } from 'vite';

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
  const made = await build({
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
  const outputs = [made].flat().flatMap((result) => ('output' in result ? result.output : []));
  const [script, ...more] = outputs.filter((output) => output.type === 'chunk');
  if (!script || more.length > 0) throw new Error(`${file} is not one script`);
  return script.code;
}
