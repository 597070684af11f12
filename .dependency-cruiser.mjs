/*
 * The part of the import law that a single import does not show: what can be reached through others. The lint
 * settings hold the rest, in .astro files too.
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    {
      name: 'islands-run-in-browsers',
      comment:
        'An island, and all that it loads, runs in the browser: nothing of the server may be among it.',
      severity: 'error',
      from: { path: '^src/islands/' },
      to: {
        reachable: true,
        path: [
          '[.]server[.]ts$',
          '^src/lib/(server|commands|demo|import)/',
          '^src/lib/supabase/service[.]ts$',
        ],
      },
    },
    {
      name: 'islands-know-no-node',
      comment: 'There is no Node in a browser.',
      severity: 'error',
      from: { path: '^src/(islands|lib/(body|text|time))/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'pages-hold-no-secret',
      comment: 'No page reaches the client that passes every policy.',
      severity: 'error',
      from: { path: '^src/(pages|layouts|middleware)' },
      to: { reachable: true, path: '^src/lib/supabase/service[.]ts$' },
    },
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one, or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Types are gone at run time.
    tsPreCompilationDeps: false,
    combinedDependencies: true,
  },
};
