import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BIOME = resolve('tests/node_modules/@biomejs/biome/bin/biome');
const CRUISER = resolve('tests/node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const projects: string[] = [];
afterAll(() => {
  for (const root of projects) rmSync(root, { recursive: true, force: true });
});

/** A project with these files only, and the project's own lint settings. */
function createProject(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'stoppress-imports-'));
  projects.push(root);
  for (const name of ['biome.json', '.gitignore']) copyFileSync(name, join(root, name));
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path.endsWith('.astro') ? `---\n${code}---\n` : code);
  }
  return root;
}

/** Output of a checker that runs in a project of these files. A start takes a second, so one run checks many files. */
function runChecker(checker: string, args: string[], files: Record<string, string>): string {
  const { stdout, stderr } = spawnSync(process.execPath, [checker, ...args], {
    cwd: createProject(files),
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('lint rules for single imports', () => {
  /** Importing file and import. */
  const FORBIDDEN = {
    'src/pages/a.astro': '../lib/data/service-client.ts',
    'src/pages/b.astro': '../lib/data/admin-client.server.ts',
    'src/pages/c.ts': '@supabase/ssr',
    'src/pages/d.astro': '../../packages/embedded-supabase/src/keys.ts',
    'src/layouts/A.astro': '../pages/index.astro',
    'src/layouts/B.astro': '../islands/LiveFeed.tsx',
    'src/islands/A.tsx': '../layouts/Page.astro',
    'src/islands/B.tsx': '../lib/data/session.server.ts',
    'src/islands/C.tsx': '../lib/publishing/sitemaps.ts',
    'src/islands/desk/a.ts': 'node:fs',
    'src/lib/http/a.ts': '../../islands/update/BodyBlocks.tsx',
    'src/lib/http/b.ts': '../data/service-client.ts',
    'src/lib/cli/a.ts': '../../../packages/embedded-supabase/src/keys.ts',
    'src/lib/cli/c.ts': 'embedded-supabase/src/keys.ts',
    'packages/embedded-supabase/src/a.ts': '../../../src/lib/domain/limits.ts',
    'packages/embedded-supabase/src/b.ts': '@supabase/lite/pglite',
  };
  const ALLOWED = {
    'src/pages/e.astro': '../islands/LiveFeed.tsx',
    'src/layouts/C.astro': '../islands/update/BodyBlocks.tsx',
    'src/islands/D.tsx': '../lib/domain/limits.ts',
    'src/lib/cli/b.ts': '../data/service-client.ts',
    'src/lib/data/a.ts': 'embedded-supabase',
    'packages/embedded-supabase/src/rest/lite.ts': '@supabase/lite/pglite',
  };
  const importing = (specifier: string, name = 'thing') =>
    `import { ${name} } from '${specifier}';\nconsole.log(${name});\n`;

  let output: string;
  beforeAll(() => {
    const files = {
      ...Object.fromEntries(
        Object.entries({ ...FORBIDDEN, ...ALLOWED }).map(([path, specifier]) => [path, importing(specifier)]),
      ),
      'src/lib/http/client.ts': importing('@supabase/supabase-js', 'createClient'),
      'src/lib/data/client.ts': importing('@supabase/supabase-js', 'createClient'),
    };
    output = runChecker(BIOME, ['lint', '--only=style/noRestrictedImports', '--max-diagnostics=none'], files);
    // All files, and the settings.
    expect(output).toContain(`Checked ${Object.keys(files).length + 1} files`);
  });
  const refused = () =>
    [...output.matchAll(/^(\S+):\d+:\d+ lint\/style\/noRestrictedImports/gm)].map(([, path]) => path);

  it.each(Object.entries(FORBIDDEN))('refuses that %s imports %s', (path) => {
    expect(refused()).toContain(path);
  });

  it.each(Object.entries(ALLOWED))('lets %s import %s', (path) => {
    expect(refused()).not.toContain(path);
  });

  it('lets only src/lib/data create clients', () => {
    expect(refused()).toContain('src/lib/http/client.ts');
    expect(refused()).not.toContain('src/lib/data/client.ts');
  });
});

describe('rules for the graph of imports', () => {
  const importing = (specifier: string) => `import * as all from '${specifier}';\nexport { all };\n`;
  const importingType = (specifier: string) =>
    `import type { Thing } from '${specifier}';\nexport type Other = Thing;\n`;
  const cruise = (files: Record<string, string>) =>
    runChecker(CRUISER, ['--config', resolve('.dependency-cruiser.mjs'), 'src', 'packages'], files);

  let output: string;
  beforeAll(() => {
    output = cruise({
      'packages/embedded-supabase/src/a.ts': importing('../../../src/lib/domain/of-domain.ts'),
      'packages/embedded-supabase/src/keys.ts': 'export type Thing = 1;\n',

      'src/islands/A.tsx': importing('../lib/data/of-island.ts'),
      'src/lib/data/of-island.ts': importing('./b.server.ts'),
      'src/lib/data/b.server.ts': '',

      'src/pages/a.ts': importing('../lib/data/of-page.ts'),
      'src/lib/data/of-page.ts': importing('./service-client.ts'),
      'src/lib/data/service-client.ts': '',

      'src/middleware.ts': importing('./lib/data/of-middleware.ts'),
      'src/lib/data/of-middleware.ts': importing('./setup.server.ts'),
      'src/lib/data/setup.server.ts': importing('./admin-client.server.ts'),
      'src/lib/data/admin-client.server.ts': '',

      'src/lib/data/read.server.ts': importing('./admin-client.server.ts'),
      'src/lib/domain/a.ts': importing('node:fs'),
      'src/lib/domain/of-domain.ts': importingType('../i18n/of-i18n.ts'),
      'src/lib/i18n/of-i18n.ts': 'export type Thing = 1;\n',
      'src/lib/http/upward.ts': importingType('../server/of-server.ts'),
      'src/lib/server/of-server.ts': importingType('../../../packages/embedded-supabase/src/keys.ts'),
      'src/lib/server/by-name.ts': importingType('embedded-supabase/src/keys.ts'),
      'src/lib/server/by-path.ts': importing('../../../packages/embedded-supabase/src/log/log.ts'),
      'packages/embedded-supabase/src/log/log.ts': '',
      'src/lib/server/allowed.ts': importing('../../../packages/embedded-supabase/src/index.ts'),
      'packages/embedded-supabase/src/index.ts': importing('./log/log.ts'),
      'src/lib/i18n/a.ts': `${importingType('./b.ts')}export type Thing = 1;\n`,
      'src/lib/i18n/b.ts': `${importingType('./a.ts')}export type Thing = 1;\n`,
    });
  });

  it.each([
    ['islands-run-in-browsers', 'src/islands/A.tsx'],
    ['pages-without-secret', 'src/pages/a.ts'],
    ['pages-without-secret', 'src/middleware.ts'],
    ['admin-client-allow-list', 'src/lib/data/read.server.ts'],
    ['service-client-for-commands', 'src/lib/data/of-page.ts'],
    ['browser-code-without-node', 'src/lib/domain/a.ts'],
    ['domain-imports-downward', 'src/lib/domain/of-domain.ts'],
    ['http-imports-downward', 'src/lib/http/upward.ts'],
    ['site-without-backend', 'src/lib/server/of-server.ts'],
    ['site-without-backend', 'src/lib/server/by-name.ts'],
    ['site-without-backend', 'src/lib/server/by-path.ts'],
    ['backend-without-site', 'packages/embedded-supabase/src/a.ts'],
    ['no-cycles', 'src/lib/i18n/a.ts'],
  ])('%s refuses %s', (rule, path) => {
    expect(output).toContain(`error ${rule}: ${path}`);
  });

  it('lets the site import the public entry point of the backend', () => {
    expect(output).not.toContain('src/lib/server/allowed.ts');
  });

  it('lets invitations and the setup use the admin client', () => {
    const files = {
      'src/lib/http/invitations.server.ts': importing('../data/admin-client.server.ts'),
      'src/lib/data/setup.server.ts': importing('./admin-client.server.ts'),
      'src/lib/data/admin-client.server.ts': importing('./service-client.ts'),
      'src/lib/data/service-client.ts': '',
      'src/pages/desk/people/a.ts': importing('../../../lib/http/invitations.server.ts'),
      'packages/embedded-supabase/src/keys.ts': '',
    };
    expect(cruise(files)).toContain('no dependency violations');
  });
});
