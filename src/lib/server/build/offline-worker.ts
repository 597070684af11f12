import { resolve } from 'node:path';
import type { AstroIntegration } from 'astro';
import { build } from 'vite';

/** What the page that serves the worker imports: the texts of the workers: `worker`, `leaving` and `deskWorker`. */
const MODULE = 'virtual:offline-worker';
const LOADED = `\0${MODULE}`;

/** Their files in src/islands/offline. */
const WORKERS = { worker: 'worker.ts', leaving: 'leaving.ts', deskWorker: 'desk-worker.ts' };

/**
 * Bundles the service workers of src/islands/offline into texts that the site serves at addresses of their own: no file of
 * the build, because what is served there goes by a switch.
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

/** One script, and nothing else: a worker may not load more once it has been installed. */
async function bundle(file: string): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'error',
    // The library speaks a lot where it is not told that this is the real thing.
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
