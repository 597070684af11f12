/** What `deno info --json` tells of a program. */
type Graph = { modules: { kind: string; dependencies?: { specifier: string }[] }[] };

/**
 * Packages that a program imports by a name that its deno.json does not explain. Here they are found all the same,
 * in `node_modules`; a hosted project has nothing but that file to go by.
 */
export function unnamedImports({ modules }: Graph, imports: Record<string, string>): string[] {
  const named = (specifier: string) =>
    Object.keys(imports).some((name) =>
      name.endsWith('/') ? specifier.startsWith(name) : specifier === name,
    );
  const all = modules
    .filter(({ kind }) => kind === 'esm')
    .flatMap(({ dependencies = [] }) => dependencies.map(({ specifier }) => specifier));
  return [...new Set(all)].filter((name) => !/^(\.{0,2}\/|npm:|node:|data:)/.test(name) && !named(name));
}
