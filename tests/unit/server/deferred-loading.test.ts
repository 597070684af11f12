import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { preloadModules } from '../../../src/lib/server/assets.ts';
import { eventually } from '../../support/eventually.ts';

const loaded = () => (globalThis as { loaded?: string[] }).loaded ?? [];

afterEach(() => void vi.useRealTimers());

test('loads unused modules some time after the start, even if one is broken', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['a', 'c'])
    await writeFile(join(folder, `${name}.mjs`), `(globalThis.loaded ??= []).push('${name}')`);
  await writeFile(join(folder, 'b.mjs'), 'throw new Error()');
  preloadModules(folder)();
  vi.advanceTimersByTime(60_000);
  expect(loaded()).toEqual([]);
  preloadModules(folder);
  vi.advanceTimersByTime(30_000);
  await eventually(() => expect(loaded().sort()).toEqual(['a', 'c']));
});
