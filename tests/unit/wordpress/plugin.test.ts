import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = 'integrations/wordpress';
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const sources = globSync('**/*.php', { cwd: ROOT });

test('the plugin, its readme and the project have the same version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(/^ \* Version: +(\S+)$/m.exec(read('stoppress.php'))?.[1]).toBe(version);
  expect(/^const VERSION = '([^']+)';$/m.exec(read('stoppress.php'))?.[1]).toBe(version);
  expect(/^Stable tag: (\S+)$/m.exec(read('readme.txt'))?.[1]).toBe(version);
  expect(JSON.parse(read('block/block.json'))).toMatchObject({ version });
});

test('the plugin has the licence of WordPress', () => {
  expect(read('stoppress.php')).toMatch(/^ \* License: +GPL-2\.0-or-later$/m);
  expect(read('LICENSE')).toContain(
    'GNU GENERAL PUBLIC LICENSE\n                       Version 2, June 1991',
  );
});

test('every text of the plugin exists in Spanish, and no Spanish text is unused', () => {
  const english = sources.flatMap((name) =>
    [...read(name).matchAll(/\b(?:esc_html)?__\(\s*'([^']+)',\s*'stoppress'\s*\)/g)].map(
      ([, text = '']) => text,
    ),
  );
  const spanish = [...read('languages/es.php').matchAll(/^\t'([^']+)'\s+=> '[^']+',$/gm)].map(
    ([, text = '']) => text,
  );
  expect([...new Set(english)].sort()).toEqual(spanish.sort());
  expect(spanish.length).toBeGreaterThan(30);
});

test('no file of the plugin can be called on its own', () => {
  const open = sources.filter(
    (name) => !/^defined\( '(?:ABSPATH|WP_UNINSTALL_PLUGIN)' \) \|\| exit;$/m.test(read(name)),
  );
  expect(open).toEqual([]);
});

test('the script of open pages has less than 2 KB', () => {
  expect(gzipSync(read('assets/follow.js')).length).toBeLessThan(2_000);
});

test('npm run wordpress packs all files of the plugin, always as the same archive', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-plugin-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pack = async (name: string) => {
    const file = join(folder, name);
    await promisify(execFile)(process.execPath, ['src/lib/cli/wordpress-plugin.ts', file]);
    return readFile(file);
  };
  const archive = await pack('first.zip');
  expect(archive.equals(await pack('second.zip'))).toBe(true);
  const files = unzipSync(archive);
  const names = globSync('**/*.*', { cwd: ROOT })
    .concat('LICENSE')
    .map((name) => `stoppress/${name}`);
  expect(Object.keys(files).sort()).toEqual(names.sort());
  expect(Buffer.from(files['stoppress/stoppress.php'] ?? []).toString()).toBe(read('stoppress.php'));
});
