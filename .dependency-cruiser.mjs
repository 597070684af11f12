/*
 * The import rules, with type-only imports. The lint settings (biome.json) repeat what a single import shows, because
 * dependency-cruiser does not read .astro files.
 */

/** Layers of src/lib, lowest first. A layer imports from itself and from those before it. */
const LAYERS = ['domain', 'i18n', 'data', 'publishing', 'http', 'server', 'cli'];

const upward = LAYERS.slice(0, -1).map((layer, n) => ({
  name: `${layer}-imports-downward`,
  comment: `src/lib/${layer} imports from the layers below it: ${LAYERS.slice(0, n).join(', ') || 'none'}.`,
  severity: 'error',
  from: { path: `^src/lib/${layer}/` },
  to: { path: `^src/(?:lib/(?:${LAYERS.slice(n + 1).join('|')})|islands|layouts|pages)/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...upward,
    {
      name: 'islands-import-browser-layers',
      comment: 'Islands import domain, i18n and data, and no server modules.',
      severity: 'error',
      from: { path: '^src/islands/' },
      to: { path: '^src/(?:lib/(?:publishing|http|server|cli)|layouts|pages)/' },
    },
    {
      name: 'islands-run-in-browsers',
      comment: 'Nothing that an island loads, however indirectly, is a server module or the service client.',
      severity: 'error',
      from: { path: '^src/islands/' },
      to: {
        reachable: true,
        path: [
          '[.]server[.]ts$',
          '^src/lib/(?:server|cli)/',
          '^src/lib/data/(?:service-client|site-channel)[.]ts$',
        ],
      },
    },
    {
      name: 'browser-code-without-node',
      comment: 'Browsers have no Node modules.',
      severity: 'error',
      from: { path: '^src/(?:islands|lib/domain)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'layouts-below-pages',
      comment: 'Pages use layouts, not the other way round.',
      severity: 'error',
      from: { path: '^src/layouts/' },
      to: { path: '^src/pages/' },
    },
    {
      name: 'admin-client-allow-list',
      comment:
        'Only these modules may pass every policy while they answer visitors. Each asks under the visitor’s rights first.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/lib/(?:data/(?:setup|photo-objects|media-objects)|http/(?:invitations|account-forms)|server/image-processing/image-processor)[.]server[.]ts$',
      },
      to: { path: '^src/lib/data/admin-client[.]server[.]ts$' },
    },
    {
      name: 'service-client-for-commands',
      comment: 'Commands use the secret key; all else goes through the admin client.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/lib/(?:cli/|data/admin-client[.]server[.]ts$)' },
      to: { path: '^src/lib/data/service-client[.]ts$' },
    },
    {
      name: 'site-channel-allow-list',
      comment:
        'The client of the channel of all changes holds the secret key: cache invalidation, the senders of alerts and notices, and the reader of tables use it.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/lib/server/(?:page-cache/invalidation|alert-client|filing-notices|table-reader)[.]ts$',
      },
      to: { path: '^src/lib/data/site-channel[.]ts$' },
    },
    {
      name: 'pages-without-secret',
      comment: 'What answers readers reaches no client that passes every policy.',
      severity: 'error',
      from: {
        path: '^src/(?:layouts/|middleware|pages/(?!setup|account|desk/people|desk/site/export|photos/|media/|api/media/|live/\\[slug\\]/card[.]jpg|desk/photos|desk/media|tips/\\[receipt\\]/photo))',
      },
      to: {
        reachable: true,
        path: '^src/lib/data/(?:admin-client[.]server|service-client|site-channel)[.]ts$',
      },
    },
    {
      name: 'backend-without-site',
      comment: 'The embedded backend is a package of its own and imports nothing of the site.',
      severity: 'error',
      from: { path: '^(?:packages|supabase)/' },
      to: { path: '^src/' },
    },
    {
      name: 'site-without-backend',
      comment: 'The site imports only the public entry point of the embedded backend.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(?:packages/)?embedded-supabase/(?!src/index[.]ts$)' },
    },
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
  },
};
