import { readdir, readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FOLLOW_SCRIPTS_KB, RECEIPT_SCRIPTS_KB } from '../../src/lib/publishing/build.ts';
import budget from './scripts.json' with { type: 'json' };

const ASSETS = 'dist/client/_astro';
/** Compressed size of `/sw.js` and `/offline`, which a followed page loads after ten seconds. */
const WORKER_BYTES = 12_600;

/** The file of a part of the build, by name. */
async function fileOf(part: string): Promise<string> {
  const found = (await readdir(ASSETS)).filter((name) => name.startsWith(`${part}.`) && name.endsWith('.js'));
  expect(found, part).toHaveLength(1);
  return found[0] ?? '';
}

/** The file that a part loads with `import()`. Several files may have its name. */
async function loadedBy(part: string, name: string): Promise<string> {
  const text = await readFile(`${ASSETS}/${await fileOf(part)}`, 'utf8');
  const file = new RegExp(`import\\(["'\`]\\./(${name}\\.[\\w-]+\\.js)["'\`]\\)`).exec(text)?.[1];
  expect(file, `${name}, loaded by ${part}`).toBeDefined();
  return file ?? '';
}

/** A file and its static imports. */
async function closureOf(file: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(file)) return found;
  found.add(file);
  const text = await readFile(`${ASSETS}/${file}`, 'utf8');
  for (const [, name = ''] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    await closureOf(name, found);
  return found;
}

/** Bytes of parts beyond what is loaded already. */
async function costOf(parts: string[], there: string[] = []): Promise<{ files: number; bytes: number }> {
  const closure = async (names: string[]) => {
    const found = new Set<string>();
    for (const name of names) await closureOf(name.endsWith('.js') ? name : await fileOf(name), found);
    return found;
  };
  const has = await closure(there);
  const needed = [...(await closure(parts))].filter((name) => !has.has(name));
  const sizes = await Promise.all([...needed].map(async (name) => (await stat(`${ASSETS}/${name}.br`)).size));
  return { files: needed.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

test('following a live page stays within its budget, and equals the size on its button', async () => {
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
