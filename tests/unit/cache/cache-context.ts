import { beforeEach, expect, vi } from 'vitest';
import { type Cache, createCache } from '../../../src/lib/server/page-cache/cache.ts';
import type { RenderedResponse } from '../../../src/lib/server/page-cache/cached-response.ts';
import type { Requester } from '../../../src/lib/server/page-cache/renderings.ts';

export const PAGE = 'public, max-age=0, s-maxage=10, stale-while-revalidate=20, stale-if-error=86400';

export const CHANGES = 'public, max-age=0, s-maxage=2, must-revalidate';

export type Rendering = {
  key: string;
  answer(text: string, more?: Partial<Answer>): void;
  fail(error: Error): void;
};

type Answer = { status: number; control: string; tags: string };

/** The renderings that the cache has started, oldest first. */
export const renderings: Rendering[] = [];

export let cache: Cache;

function render(key: string): Promise<RenderedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RenderedResponse>();
  renderings.push({
    key,
    answer: (text, { status = 200, control = PAGE, tags = 'site,coverage:1' } = {}) =>
      resolve({
        status,
        headers: { 'cache-control': control, 'cache-tag': tags },
        bodies: { identity: Buffer.from(text) },
      }),
    fail: reject,
  });
  return promise;
}

/** Replaces the cache of the test. */
export function openCache(options: Partial<Parameters<typeof createCache>[0]> = {}): void {
  cache = createCache({ render, ...options });
}

/** Requests a key. `text` is set as soon as the response arrives. */
export function request(key = '/a', requester?: Requester) {
  const answer: { text?: string; status?: number; error?: unknown } = {};
  cache.fetch(key, requester).then(
    ({ bodies, status }) => Object.assign(answer, { text: bodies.identity.toString(), status }),
    (error: unknown) => Object.assign(answer, { error }),
  );
  return answer;
}

export const settle = () => vi.advanceTimersByTimeAsync(0);

/** The latest rendering. */
export function last(): Rendering {
  const rendering = renderings.at(-1);
  if (!rendering) throw new Error('The cache requests a rendering.');
  return rendering;
}

/** Requests and renders a page, and waits. */
export async function fill(text: string, more: Partial<Answer> & { key?: string } = {}) {
  const answer = request(more.key);
  await settle();
  last().answer(text, more);
  await settle();
  expect(answer.text).toBe(text);
}

/** Creates an empty cache with a fake clock for each test of a file. */
export function useCache(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    renderings.length = 0;
    openCache();
    return () => void vi.useRealTimers();
  });
}
