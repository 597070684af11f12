import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FairSemaphore } from '../../../packages/embedded-supabase/src/fair-semaphore.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rejection = () => new Error('late');

/** A semaphore that records the order in which waiting jobs start. */
function open(options: { size: number; perClient?: number; maxWaitMs?: number }) {
  const semaphore = new FairSemaphore({ ...options, rejection });
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const failures: unknown[] = [];
  const enter = (name: string, client?: string) => {
    semaphore.acquire(client).then(
      (release) => {
        started.push(name);
        releases.set(name, release);
      },
      (error: unknown) => failures.push(error),
    );
  };
  const leave = async (name: string) => {
    await vi.advanceTimersByTimeAsync(0);
    releases.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { semaphore, enter, leave, started, failures };
}

it('lets clients in by turns, however many requests one of them has waiting', async () => {
  const { enter, leave, started } = open({ size: 1 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name, 'a');
  enter('b1', 'b');
  enter('c1', 'c');
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await leave(name);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
});

it('gives every second turn to the website, however many clients wait', async () => {
  const { enter, leave, started } = open({ size: 1 });
  for (const client of ['a', 'b', 'c']) enter(client, client);
  for (const name of ['page 1', 'page 2']) enter(name);
  for (const name of ['a', 'page 1', 'b', 'page 2']) await leave(name);
  expect(started).toEqual(['a', 'page 1', 'b', 'page 2', 'c']);
});

it('gives the website as much time as a turn of a client took', async () => {
  const { enter, leave, started } = open({ size: 1 });
  for (const name of ['a1', 'a2']) enter(name, 'a');
  for (const name of ['page 1', 'page 2', 'page 3']) enter(name);
  await vi.advanceTimersByTimeAsync(50);
  await leave('a1');
  for (const name of ['page 1', 'page 2']) {
    await vi.advanceTimersByTimeAsync(30);
    await leave(name);
  }
  expect(started).toEqual(['a1', 'page 1', 'page 2', 'a2']);
});

it('keeps places free for others than one client, and none free for the website alone', async () => {
  const { enter, leave, started } = open({ size: 4, perClient: 2 });
  for (const name of ['a1', 'a2', 'a3']) enter(name, 'a');
  enter('b1', 'b');
  for (const name of ['page 1', 'page 2']) enter(name);
  await leave('');
  expect(started).toEqual(['a1', 'a2', 'b1', 'page 1']);
  await leave('b1');
  expect(started.at(-1)).toBe('page 2');
  await leave('a1');
  expect(started.at(-1)).toBe('a3');
});

it('gives up a wait that is too long, and lets the next one in', async () => {
  const { enter, leave, started, failures } = open({ size: 1, maxWaitMs: 1_000 });
  enter('a1', 'a');
  enter('late', 'b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(failures).toEqual([new Error('late')]);
  enter('b1', 'b');
  await leave('a1');
  expect(started).toEqual(['a1', 'b1']);
});

it('rejects those who wait when it is cancelled', async () => {
  const { semaphore, enter, leave, started, failures } = open({ size: 1 });
  for (const name of ['a1', 'a2']) enter(name, 'a');
  enter('page');
  semaphore.cancel();
  await leave('a1');
  expect([started, failures.length]).toEqual([['a1'], 2]);
});

it('frees the place of work that fails', async () => {
  const semaphore = new FairSemaphore({ size: 1, rejection });
  await expect(semaphore.run('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  await expect(semaphore.run('a', async () => 'done')).resolves.toBe('done');
});
