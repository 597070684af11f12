import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const BIOME = resolve('node_modules/@biomejs/biome/bin/biome');
const CRUISER = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** A project with nothing in it but these files, under the project's own settings. */
function plant(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'stoppress-law-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['biome.json', '.gitignore']) copyFileSync(name, join(root, name));
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path.endsWith('.astro') ? `---\n${code}---\n` : code);
  }
  return root;
}

/** What the linter says of a file that imports this. */
function lint(path: string, wanted: string, name = 'thing'): string {
  const root = plant({ [path]: `import { ${name} } from '${wanted}';\nconsole.log(${name});\n` });
  const args = [BIOME, 'lint', '--only=style/noRestrictedImports', path];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(stdout + stderr).toContain('Checked 1 file');
  return stdout + stderr;
}

test.each([
  ['src/pages/x.astro', '../lib/supabase/service.ts'],
  ['src/pages/x.astro', '../lib/supabase/admin.server.ts'],
  ['src/pages/x.ts', '@supabase/ssr'],
  ['src/pages/x.astro', '../../supabase/embedded/keys.ts'],
  ['src/layouts/X.astro', '../pages/index.astro'],
  ['src/layouts/X.astro', '../islands/LiveFeed.tsx'],
  ['src/islands/X.tsx', '../layouts/Page.astro'],
  ['src/islands/X.tsx', '../lib/auth/session.server.ts'],
  ['src/islands/stores/x.ts', 'node:fs'],
  ['src/lib/updates/x.ts', '../../islands/parts/Body.tsx'],
  ['src/lib/updates/x.ts', '../supabase/service.ts'],
  ['src/lib/commands/x.ts', '../../../supabase/embedded/keys.ts'],
  ['supabase/embedded/x.ts', '../../src/lib/limits.ts'],
  ['supabase/embedded/x.ts', '@supabase/lite/pglite'],
])('%s may not import %s', (path, wanted) => {
  expect(lint(path, wanted)).toContain('lint/style/noRestrictedImports');
});

test.each([
  ['src/pages/x.astro', '../islands/LiveFeed.tsx'],
  ['src/layouts/X.astro', '../islands/parts/Body.tsx'],
  ['src/islands/X.tsx', '../lib/limits.ts'],
  ['src/lib/commands/x.ts', '../supabase/service.ts'],
  ['supabase/embedded/lite.ts', '@supabase/lite/pglite'],
])('%s may import %s', (path, wanted) => {
  expect(lint(path, wanted)).not.toContain('noRestrictedImports');
});

test('only src/lib/supabase makes clients', () => {
  const makes = (path: string) => lint(path, '@supabase/supabase-js', 'createClient');
  expect(makes('src/lib/updates/x.ts')).toContain('lint/style/noRestrictedImports');
  expect(makes('src/lib/supabase/x.ts')).not.toContain('noRestrictedImports');
});

const importing = (wanted: string) => `import * as all from '${wanted}';\nexport { all };\n`;

test.each([
  [
    'islands-run-in-browsers',
    {
      'src/islands/A.tsx': importing('../lib/a.ts'),
      'src/lib/a.ts': importing('./b.server.ts'),
      'src/lib/b.server.ts': '',
    },
  ],
  [
    'pages-hold-no-secret',
    {
      'src/pages/a.ts': importing('../lib/a.ts'),
      'src/lib/a.ts': importing('./supabase/service.ts'),
      'src/lib/supabase/service.ts': '',
    },
  ],
  [
    'pages-hold-no-secret',
    {
      'src/middleware.ts': importing('./lib/a.ts'),
      'src/lib/a.ts': importing('./setup/owner.server.ts'),
      'src/lib/setup/owner.server.ts': importing('../supabase/admin.server.ts'),
      'src/lib/supabase/admin.server.ts': '',
    },
  ],
  [
    'secret-has-one-door',
    {
      'src/lib/people/read.server.ts': importing('../supabase/admin.server.ts'),
      'src/lib/supabase/admin.server.ts': '',
    },
  ],
  [
    'secret-is-for-commands',
    {
      'src/lib/supabase/other.server.ts': importing('./service.ts'),
      'src/lib/supabase/service.ts': '',
    },
  ],
  ['islands-know-no-node', { 'src/lib/text/a.ts': importing('node:fs') }],
  ['no-circles', { 'src/lib/a.ts': importing('./b.ts'), 'src/lib/b.ts': importing('./a.ts') }],
])('%s is seen through other files', (rule, files) => {
  const args = [CRUISER, '--config', resolve('.dependency-cruiser.mjs'), 'src'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: plant(files), encoding: 'utf8' });
  expect(stdout).toContain(`error ${rule}`);
});

test('the door to the secret key is open to invitations and to the set-up', () => {
  const files = {
    'src/lib/people/invitations.server.ts': importing('../supabase/admin.server.ts'),
    'src/lib/setup/offer.server.ts': importing('../supabase/admin.server.ts'),
    'src/lib/supabase/admin.server.ts': importing('./service.ts'),
    'src/lib/supabase/service.ts': '',
    'src/pages/desk/people/a.ts': importing('../../../lib/people/invitations.server.ts'),
  };
  const args = [CRUISER, '--config', resolve('.dependency-cruiser.mjs'), 'src'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: plant(files), encoding: 'utf8' });
  expect(stdout).toContain('no dependency violations found');
});
