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

/** A line on which the page, the answer about the saved copy and the waiting come when they are told to. */
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
  /** Lets so many milliseconds pass that are waited for, once they are. */
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

test('what the site answers in time is shown, and nothing else is asked', async () => {
  const { choice, network, asked } = line();
  network.resolve(answered(200));
  expect(await choice).toMatchObject({ show: 'network' });
  expect(asked()).toBe(false);
});

test('on a slow line a copy of which nothing has changed is shown as current', async () => {
  const { choice, verdict, slow } = line();
  await slow();
  verdict.resolve('current');
  expect(await choice).toEqual({ show: 'current' });
});

test('where something has changed the page is waited for, and on a line that swallows it the copy is shown', async () => {
  for (const comes of [true, false]) {
    const { choice, network, verdict, slow, pass } = line();
    await slow();
    verdict.resolve('changed');
    if (comes) network.resolve(answered(200));
    else await pass(CHANGED_PAGE_TIMEOUT_MS);
    expect((await choice).show).toBe(comes ? 'network' : 'saved');
  }
});

test('what was taken back is not shown again, also when the page never comes', async () => {
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

test('a line that is dead, or as good as dead, shows the copy for what it is', async () => {
  const cut = line();
  cut.network.reject(new Error('no line'));
  expect(await cut.choice).toEqual({ show: 'saved' });
  const silent = line();
  await silent.slow();
  silent.verdict.reject(new Error('no answer'));
  await silent.dead();
  expect(await silent.choice).toEqual({ show: 'saved' });
});

test('without a copy the page is waited for until there is no hope, or nobody would', async () => {
  const { choice, network } = line(false);
  network.reject(new Error('no line'));
  expect(await choice).toEqual({ show: 'nothing' });
  const swallowed = line(false);
  await swallowed.pass(NO_COPY_TIMEOUT_MS);
  expect(await swallowed.choice).toEqual({ show: 'nothing' });
});

test('a site that fails says so itself, unless there is something to read', async () => {
  for (const hasSaved of [true, false]) {
    const { choice, network } = line(hasSaved);
    network.resolve(answered(503));
    expect((await choice).show).toBe(hasSaved ? 'saved' : 'network');
  }
});
