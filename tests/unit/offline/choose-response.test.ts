import { expect, test } from 'vitest';
import {
  CHANGED_PAGE_TIMEOUT_MS,
  CHECK_COPY_AFTER_MS,
  chooseResponse,
  NO_COPY_TIMEOUT_MS,
  SHOW_COPY_AFTER_MS,
} from '../../../src/islands/offline/choose-response.ts';
import type { Comparison } from '../../../src/islands/offline/saved-page.ts';

const answered = (status: number) => new Response('', { status });

/** A connection whose response, check and timer the test controls. */
function line(hasSaved = true) {
  const network = Promise.withResolvers<Response>();
  const verdict = Promise.withResolvers<Comparison>();
  const waits = new Map<number, () => void>();
  let asked = false;
  const choice = chooseResponse({
    network: network.promise,
    saved: hasSaved
      ? {
          check() {
            asked = true;
            return verdict.promise;
          },
        }
      : undefined,
    after: (ms) => new Promise((pass) => waits.set(ms, () => pass(undefined))),
  });
  /** Advances the pending timers. */
  const pass = async (ms: number) => {
    await expect.poll(() => waits.get(ms)).toBeDefined();
    waits.get(ms)?.();
  };
  return {
    choice,
    network,
    verdict,
    asked: () => asked,
    slow: () => pass(CHECK_COPY_AFTER_MS),
    dead: () => pass(SHOW_COPY_AFTER_MS - CHECK_COPY_AFTER_MS),
    pass,
  };
}

test('shows a page that arrives in time, and checks nothing else', async () => {
  const { choice, network, asked } = line();
  network.resolve(answered(200));
  expect(await choice).toMatchObject({ show: 'network' });
  expect(asked()).toBe(false);
});

test('shows an unchanged copy as current on a slow connection', async () => {
  const { choice, verdict, slow } = line();
  await slow();
  verdict.resolve('current');
  expect(await choice).toEqual({ show: 'current' });
});

test('waits for a changed page, and shows the copy if it does not arrive', async () => {
  for (const comes of [true, false]) {
    const { choice, network, verdict, slow, pass } = line();
    await slow();
    verdict.resolve('changed');
    if (comes) network.resolve(answered(200));
    else await pass(CHANGED_PAGE_TIMEOUT_MS);
    expect((await choice).show).toBe(comes ? 'network' : 'saved');
  }
});

test('never shows a withdrawn copy, even if the page does not arrive', async () => {
  const failed = line();
  await failed.slow();
  failed.verdict.resolve('gone');
  failed.network.reject(new Error('no line'));
  expect(await failed.choice).toEqual({ show: 'nothing' });
  const swallowed = line();
  await swallowed.slow();
  swallowed.verdict.resolve('gone');
  await swallowed.pass(CHANGED_PAGE_TIMEOUT_MS);
  expect(await swallowed.choice).toEqual({ show: 'nothing' });
});

test('shows the copy as saved without a connection', async () => {
  const cut = line();
  cut.network.reject(new Error('no line'));
  expect(await cut.choice).toEqual({ show: 'saved' });
  const silent = line();
  await silent.slow();
  silent.verdict.reject(new Error('no answer'));
  await silent.dead();
  expect(await silent.choice).toEqual({ show: 'saved' });
});

test('waits without a copy until the request fails or times out', async () => {
  const { choice, network } = line(false);
  network.reject(new Error('no line'));
  expect(await choice).toEqual({ show: 'nothing' });
  const swallowed = line(false);
  await swallowed.pass(NO_COPY_TIMEOUT_MS);
  expect(await swallowed.choice).toEqual({ show: 'nothing' });
});

test('shows an error page of the site only without a copy', async () => {
  for (const hasSaved of [true, false]) {
    const { choice, network } = line(hasSaved);
    network.resolve(answered(503));
    expect((await choice).show).toBe(hasSaved ? 'saved' : 'network');
  }
});
