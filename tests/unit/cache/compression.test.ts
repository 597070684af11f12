import { brotliDecompressSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { brotliText, FIRST_ROUND_TRIP } from '../../../src/lib/publishing/brotli.server.ts';
import { createCache } from '../../../src/lib/server/page-cache/cache.ts';
import {
  cachedResponseOf,
  compress,
  compressBest,
} from '../../../src/lib/server/page-cache/cached-response.ts';
import { createRecompressor } from '../../../src/lib/server/page-cache/middleware.ts';
import { eventually } from '../../support/eventually.ts';
import { seededRandom } from '../../support/random.ts';

const page = Buffer.from('<p>The river stood two metres above its usual mark this morning.</p>'.repeat(80));

test('compresses a text, and later with the best quality', async () => {
  const bodies = await compress(page, 'text/html; charset=utf-8');
  expect(brotliDecompressSync(bodies.br ?? '')).toEqual(page);
  const best = await compressBest(bodies);
  expect(best).toMatchObject({ identity: page, best: true });
  expect(brotliDecompressSync(best.br ?? '')).toEqual(page);
  expect(best.br?.length).toBeLessThanOrEqual(bodies.br?.length ?? 0);
});

test('compresses small responses with the best quality at once', async () => {
  const few = page.subarray(0, 2_000);
  const bodies = await compress(few, 'text/html');
  expect(bodies).toEqual(await compressBest(bodies));
});

test('compresses a page that leaves the first round trip by little with the best quality at once', async () => {
  const { below } = seededRandom(5);
  const words = Array.from({ length: 9_000 }, () => `word${below(2_000)}`);
  const pageOf = (count: number) => Buffer.from(words.slice(0, count).join(' '));
  const sizeOf = async (count: number) => (await brotliText(pageOf(count), 5)).length;
  let count = 1;
  while ((await sizeOf(count)) <= FIRST_ROUND_TRIP - 1_000) count += 200;
  expect((await compress(pageOf(count), 'text/html')).best).toBe(true);
  expect((await compress(pageOf(count / 2), 'text/html')).best).toBeUndefined();
  expect((await compress(pageOf(count * 1.5), 'text/html')).best).toBeUndefined();
});

test.for([
  ['few bytes', page.subarray(0, 400), 'text/html'],
  ['a picture', page, 'image/webp'],
  ['a response without a type', page, undefined],
] as const)('does not compress %s', async ([_, body, type]) => {
  expect(await compress(body, type)).toEqual({ identity: body });
});

test.for([
  'application/json',
  'application/atom+xml; charset=utf-8',
  'application/manifest+json',
  'text/plain',
])('compresses %s', async (type) => {
  expect((await compress(page, type)).br).toBeDefined();
});

async function copy(served: number, control = 's-maxage=10, stale-while-revalidate=20') {
  const bodies = await compress(page, 'text/html');
  return {
    ...cachedResponseOf(
      { status: 200, headers: { 'cache-control': control }, bodies },
      { madeAt: 0, date: '', order: 0 },
    ),
    served,
  };
}

test('recompresses a page that is requested again, when nothing is rendered, one at a time', async () => {
  const isIdle = vi.fn(() => true).mockReturnValueOnce(false);
  const [isStored, replaceBodies] = [vi.fn(() => true), vi.fn()];
  const recompress = createRecompressor({ isStored: isStored, isIdle: isIdle, replaceBodies: replaceBodies });
  const again = await copy(2);
  recompress('/a', again);
  recompress('/b', await copy(2));
  await eventually(() => expect(replaceBodies).toHaveBeenCalled());
  expect(isIdle).toHaveBeenCalledTimes(2);
  expect(replaceBodies.mock.calls).toEqual([['/a', again, await compressBest(again.bodies)]]);
  isStored.mockReturnValueOnce(false);
  await eventually(async () => {
    recompress('/gone', again);
    expect(isStored).toHaveBeenCalledTimes(2);
  });
  await eventually(async () => {
    recompress('/b', again);
    expect(replaceBodies).toHaveBeenCalledTimes(2);
  });
  expect(replaceBodies.mock.calls[1]?.[0]).toBe('/b');
});

test('does not recompress pages that were requested once, live briefly, or have the best quality', async () => {
  const isIdle = vi.fn(() => true);
  const recompress = createRecompressor({ isStored: () => true, isIdle: isIdle, replaceBodies: vi.fn() });
  recompress('/a', await copy(1));
  recompress('/b', await copy(2, 's-maxage=2, must-revalidate'));
  const best = await copy(2);
  recompress('/c', { ...best, bodies: await compressBest(best.bodies) });
  recompress('/d', { ...best, bodies: { identity: page } });
  expect(isIdle).not.toHaveBeenCalled();
});

test('gives the first reader the quick compression, also when nothing else is rendered', async () => {
  const cache = createCache({
    render: async () => ({
      status: 200,
      headers: { 'cache-control': 's-maxage=10, stale-while-revalidate=20' },
      bodies: await compress(page, 'text/html'),
    }),
  });
  expect((await cache.fetch('/alone')).bodies.best).toBeUndefined();
});
