import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const BIOME = resolve('tests/node_modules/@biomejs/biome/bin/biome');
const CRUISER = resolve('tests/node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const planted: string[] = [];
afterAll(() => {
  for (const root of planted) rmSync(root, { recursive: true, force: true });
});

/** A project with nothing in it but these files, under the project's own settings. */
function plant(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'stoppress-law-'));
  planted.push(root);
  for (const name of ['biome.json', '.gitignore']) copyFileSync(name, join(root, name));
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path.endsWith('.astro') ? `---\n${code}---\n` : code);
  }
  return root;
}

/** What a checker says of a project. Starting one takes a second: it is asked once for many files. */
function ask(checker: string, args: string[], files: Record<string, string>): string {
  const { stdout, stderr } = spawnSync(process.execPath, [checker, ...args], {
    cwd: plant(files),
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('what an import shows by itself', () => {
  /** Which file asks for what. */
  const FORBIDDEN = {
    'src/pages/a.astro': '../lib/supabase/service.ts',
    'src/pages/b.astro': '../lib/supabase/admin.server.ts',
    'src/pages/c.ts': '@supabase/ssr',
    'src/pages/d.astro': '../../supabase/embedded/keys.ts',
    'src/layouts/A.astro': '../pages/index.astro',
    'src/layouts/B.astro': '../islands/LiveFeed.tsx',
    'src/islands/A.tsx': '../layouts/Page.astro',
    'src/islands/B.tsx': '../lib/auth/session.server.ts',
    'src/islands/stores/a.ts': 'node:fs',
    'src/lib/updates/a.ts': '../../islands/parts/Body.tsx',
    'src/lib/updates/b.ts': '../supabase/service.ts',
    'src/lib/commands/a.ts': '../../../supabase/embedded/keys.ts',
    'supabase/embedded/a.ts': '../../src/lib/limits.ts',
    'supabase/embedded/b.ts': '@supabase/lite/pglite',
  };
  const ALLOWED = {
    'src/pages/e.astro': '../islands/LiveFeed.tsx',
    'src/layouts/C.astro': '../islands/parts/Body.tsx',
    'src/islands/C.tsx': '../lib/limits.ts',
    'src/lib/commands/b.ts': '../supabase/service.ts',
    'supabase/embedded/lite.ts': '@supabase/lite/pglite',
  };
  const importing = (wanted: string, name = 'thing') =>
    `import { ${name} } from '${wanted}';\nconsole.log(${name});\n`;

  let said: string;
  beforeAll(() => {
    const files = {
      ...Object.fromEntries(
        Object.entries({ ...FORBIDDEN, ...ALLOWED }).map(([path, wanted]) => [path, importing(wanted)]),
      ),
      'src/lib/updates/client.ts': importing('@supabase/supabase-js', 'createClient'),
      'src/lib/supabase/client.ts': importing('@supabase/supabase-js', 'createClient'),
    };
    said = ask(BIOME, ['lint', '--only=style/noRestrictedImports', '--max-diagnostics=none'], files);
    // These and its own settings.
    expect(said).toContain(`Checked ${Object.keys(files).length + 1} files`);
  });
  const refused = () =>
    [...said.matchAll(/^(\S+):\d+:\d+ lint\/style\/noRestrictedImports/gm)].map(([, path]) => path);

  test.each(Object.entries(FORBIDDEN))('%s may not import %s', (path) => {
    expect(refused()).toContain(path);
  });

  test.each(Object.entries(ALLOWED))('%s may import %s', (path) => {
    expect(refused()).not.toContain(path);
  });

  test('only src/lib/supabase makes clients', () => {
    expect(refused()).toContain('src/lib/updates/client.ts');
    expect(refused()).not.toContain('src/lib/supabase/client.ts');
  });
});

describe('what shows through other files', () => {
  const importing = (wanted: string) => `import * as all from '${wanted}';\nexport { all };\n`;
  const cruise = (files: Record<string, string>) =>
    ask(CRUISER, ['--config', resolve('.dependency-cruiser.mjs'), 'src'], files);

  let said: string;
  beforeAll(() => {
    said = cruise({
      'src/islands/A.tsx': importing('../lib/of-island.ts'),
      'src/lib/of-island.ts': importing('./b.server.ts'),
      'src/lib/b.server.ts': '',

      'src/pages/a.ts': importing('../lib/of-page.ts'),
      'src/lib/of-page.ts': importing('./supabase/service.ts'),
      'src/lib/supabase/service.ts': '',

      'src/middleware.ts': importing('./lib/of-middleware.ts'),
      'src/lib/of-middleware.ts': importing('./setup/owner.server.ts'),
      'src/lib/setup/owner.server.ts': importing('../supabase/admin.server.ts'),
      'src/lib/supabase/admin.server.ts': '',

      'src/lib/people/read.server.ts': importing('../supabase/admin.server.ts'),
      'src/lib/supabase/other.server.ts': importing('./service.ts'),
      'src/lib/text/a.ts': importing('node:fs'),
      'src/lib/a.ts': importing('./b.ts'),
      'src/lib/b.ts': importing('./a.ts'),
    });
  });

  test.each([
    ['islands-run-in-browsers', 'src/islands/A.tsx'],
    ['pages-hold-no-secret', 'src/pages/a.ts'],
    ['pages-hold-no-secret', 'src/middleware.ts'],
    ['secret-has-one-door', 'src/lib/people/read.server.ts'],
    ['secret-is-for-commands', 'src/lib/supabase/other.server.ts'],
    ['islands-know-no-node', 'src/lib/text/a.ts'],
    ['no-circles', 'src/lib/a.ts'],
  ])('%s: %s', (rule, path) => {
    expect(said).toContain(`error ${rule}: ${path}`);
  });

  test('the door to the secret key is open to invitations and to the set-up', () => {
    const files = {
      'src/lib/people/invitations.server.ts': importing('../supabase/admin.server.ts'),
      'src/lib/setup/offer.server.ts': importing('../supabase/admin.server.ts'),
      'src/lib/supabase/admin.server.ts': importing('./service.ts'),
      'src/lib/supabase/service.ts': '',
      'src/pages/desk/people/a.ts': importing('../../../lib/people/invitations.server.ts'),
    };
    expect(cruise(files)).toContain('no dependency violations found');
  });
});
