import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import type { Plugin } from 'vite';
import { deskFilesPath } from '../../domain/service-worker-paths.ts';
import { builtId } from './build-id.ts';

/** A script of a build, as far as its place among the others goes. */
export type Script = {
  fileName: string;
  moduleIds: string[];
  /** The module that it stands for, where what it exports is elsewhere. */
  facadeModuleId: string | null;
  imports: string[];
  dynamicImports: string[];
};

/** What the page that stands in for the desk cannot do without. */
const NEEDED = ['src/islands/OfflineDesk.tsx', 'src/islands/network/hydrate.ts'];
/** What the desk's own pages begin with: on a bad line they are spared asking for it. */
const BEGINNINGS = [
  ...NEEDED,
  'src/islands/CoverageControls.tsx',
  'src/islands/UpdateComposer.tsx',
  'src/islands/UpdateList.tsx',
  'src/layouts/DeskPage.astro',
];

/** Writes down, beside the scripts of each build, which of them the desk's worker is to keep. */
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
 * The addresses of all scripts that the desk may ask for, of those too that it would ask for later.
 * @throws Error where an island that the desk needs is in none of the scripts
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
  // A set goes on to what is added while it is gone through.
  for (const name of names) {
    const { imports = [], dynamicImports = [] } = byName.get(name) ?? {};
    for (const other of [...imports, ...dynamicImports]) names.add(other);
  }
  return [...names].map((name) => `/${name}`).sort();
}
