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
          '^src/lib/(cache|server|commands|demo|import)/',
          '^src/lib/supabase/(service|watch)[.]ts$',
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
      name: 'secret-has-one-door',
      comment:
        'Of what answers visitors, only these may pass every policy: invitations, the first owner, deletions of accounts, and photos, which are in storage that nobody may read.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/lib/(people/(invitations|deletion)|setup/(offer|owner)|photos/(darkroom|forgetting|objects))[.]server[.]ts$',
      },
      to: { path: '^src/lib/supabase/admin[.]server[.]ts$' },
    },
    {
      name: 'secret-is-for-commands',
      comment: 'A client with a secret key in hand is for commands on data, and for that one door.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/lib/(commands|demo)/|^src/lib/supabase/admin[.]server[.]ts$' },
      to: { path: '^src/lib/supabase/service[.]ts$' },
    },
    {
      name: 'secret-hears-for-few',
      comment:
        'What hears of every change holds the secret key: only the watch over the cache does, and what rings for alerts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/lib/(cache/watch-line|alerts/bell)[.]ts$' },
      to: { path: '^src/lib/supabase/watch[.]ts$' },
    },
    {
      name: 'pages-hold-no-secret',
      comment: 'What runs for every request, or for readers, reaches no client that passes every policy.',
      severity: 'error',
      from: {
        path: '^src/(layouts/|middleware|pages/(?!setup|account/delete|desk/people|desk/site/export|photos/|desk/photos))',
      },
      to: { reachable: true, path: '^src/lib/supabase/(admin[.]server|service|watch)[.]ts$' },
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
