import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import type { Plugin } from 'vite';
import { deskFilesPath } from '../../domain/service-worker-paths.ts';
import { builtId } from './build-id.ts';

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
