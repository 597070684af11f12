import { readdir, readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FOLLOW_SCRIPTS_KB, RECEIPT_SCRIPTS_KB } from '../../src/lib/publishing/page-attributes.ts';
import budget from './scripts.json' with { type: 'json' };

const ASSETS = 'dist/client/_astro';
/** Brotli size of `/sw.js` and `/offline`, which a followed page loads after ten seconds. */
const WORKER_BYTES = 12_600;

/** The built file of a module, by its name. */
async function fileOf(part: string): Promise<string> {
  const files = (await readdir(ASSETS)).filter((name) => name.startsWith(`${part}.`) && name.endsWith('.js'));
  expect(files, part).toHaveLength(1);
  return files[0] ?? '';
}

/** The file that a module loads with `import()`. Several files may have its name. */
async function loadedBy(part: string, name: string): Promise<string> {
  const text = await readFile(`${ASSETS}/${await fileOf(part)}`, 'utf8');
  const file = new RegExp(`import\\(["'\`]\\./(${name}\\.[\\w-]+\\.js)["'\`]\\)`).exec(text)?.[1];
  expect(file, `${name}, loaded by ${part}`).toBeDefined();
  return file ?? '';
}

/** A file and all its static imports, which the browser loads with it. */
async function closureOf(file: string, files = new Set<string>()): Promise<Set<string>> {
  if (files.has(file)) return files;
  files.add(file);
  const text = await readFile(`${ASSETS}/${file}`, 'utf8');
  for (const [, name = ''] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    await closureOf(name, files);
  return files;
}

/** Size of the files that modules need in addition to loaded ones. */
async function costOf(parts: string[], loaded: string[] = []): Promise<{ files: number; bytes: number }> {
  const closure = async (names: string[]) => {
    const files = new Set<string>();
    for (const name of names) await closureOf(name.endsWith('.js') ? name : await fileOf(name), files);
    return files;
  };
  const loadedFiles = await closure(loaded);
  const needed = [...(await closure(parts))].filter((name) => !loadedFiles.has(name));
  const sizes = await Promise.all([...needed].map(async (name) => (await stat(`${ASSETS}/${name}.br`)).size));
  return { files: needed.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

test('keeps the scripts for following a live page within their budget and near the size on their button', async () => {
  const following = ['hydrate', 'LiveFeed'];
  const costs = {
    following: await costOf(following),
    socket: await costOf(['socket'], following),
    photos: await costOf([await loadedBy('LiveFeed', 'photos')], following),
  };
  for (const [part, allowed] of Object.entries(budget)) {
    const cost = costs[part as keyof typeof costs];
    expect(cost.files, `files for ${part} (tests/budget/scripts.json)`).toBeLessThanOrEqual(allowed.files);
    expect(cost.bytes, `bytes for ${part} (tests/budget/scripts.json)`).toBeLessThanOrEqual(allowed.bytes);
  }
  expect(Math.abs((costs.following.bytes + WORKER_BYTES) / 1000 - FOLLOW_SCRIPTS_KB)).toBeLessThan(1.5);
  const receipt = await costOf(['hydrate', 'TipStatus']);
  expect(Math.abs(receipt.bytes / 1000 - RECEIPT_SCRIPTS_KB)).toBeLessThan(1.5);
});
