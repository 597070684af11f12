import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  PriorityQueue,
  type PriorityQueueOptions,
  type QueuedJob,
} from '../../../src/lib/server/page-cache/priority-queue.ts';

type Named = QueuedJob & { name: string };

const OPTIONS: PriorityQueueOptions<Named> = {
  concurrency: 1,
  capacity: 100,
  timeoutMs: 1_000,
  rejectionFor: ({ name }, reason) => new Error(`${name}: ${reason}`),
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose jobs end when the test says so. */
function open(options: Partial<PriorityQueueOptions<Named>> = {}) {
  const queue = new PriorityQueue<Named>({ ...OPTIONS, ...options });
  const started: string[] = [];
  const rejected: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, { waiters = 1, client }: Partial<QueuedJob> = {}) => {
    const job: Named = { name, waiters, client };
    const task = () => {
      started.push(name);
      return new Promise<void>((resolve) => void ends.set(name, resolve));
    };
    queue.add(job, task).catch(({ message }: Error) => rejected.push(message));
    return job;
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { queue, add, end, started, rejected };
}

describe('PriorityQueue', () => {
  it('runs the job with the most waiters first, including waiters gained in the queue', async () => {
    const { queue, add, end, started } = open();
    add('running');
    const late = add('late');
    add('popular', { waiters: 3 });
    late.waiters = 5;
    queue.reprioritize();
    await end('running');
    await end('late');
    expect(started).toEqual(['running', 'late', 'popular']);
  });

  it('runs a job that has waited for long before later jobs with more waiters', async () => {
    const { add, end, started } = open({ timeoutMs: 10_000 });
    add('running');
    add('old page');
    await vi.advanceTimersByTimeAsync(1_900);
    add('popular', { waiters: 2 });
    await end('running');
    expect(started).toEqual(['running', 'popular']);
    await vi.advanceTimersByTimeAsync(200);
    add('popular again', { waiters: 2 });
    await end('popular');
    expect(started).toEqual(['running', 'popular', 'old page']);
  });

  it('keeps slots free for jobs with several waiters', () => {
    const { add, started } = open({ concurrency: 4, forOneWaiter: 2 });
    for (const name of ['a', 'b', 'c']) add(name);
    add('popular', { waiters: 2 });
    expect(started).toEqual(['a', 'b', 'popular']);
  });

  it('keeps slots free for other clients', async () => {
    const { add, end, started } = open({ concurrency: 4, perClient: 2 });
    for (const name of ['a', 'b', 'c']) add(name, { client: 'one' });
    add('other', { client: 'two' });
    expect(started).toEqual(['a', 'b', 'other']);
    await end('a');
    expect(started).toEqual(['a', 'b', 'other', 'c']);
  });

  it('runs first, among equal jobs, the one whose client has the fewest running', async () => {
    const { add, end, started } = open({ concurrency: 2 });
    add('a', { client: 'one' });
    add('b', { client: 'two' });
    add('c', { client: 'one' });
    add('d', { client: 'three' });
    await end('b');
    expect(started).toEqual(['a', 'b', 'd']);
  });

  it('lets the first job of another client run before the older jobs of a client that has many', async () => {
    const { add, end, started } = open({ timeoutMs: 60_000 });
    add('running', { client: 'one' });
    for (const name of ['a', 'b', 'c']) add(name, { client: 'one' });
    await vi.advanceTimersByTimeAsync(5_000);
    await end('running');
    await vi.advanceTimersByTimeAsync(1_000);
    add('other', { client: 'two' });
    await vi.advanceTimersByTimeAsync(1_000);
    await end('a');
    await end('other');
    expect(started).toEqual(['running', 'a', 'other', 'b']);
  });

  it('rejects, when it is full, a job of the client with the most jobs waiting', async () => {
    const { add, rejected } = open({ capacity: 3 });
    add('running');
    add('lonely', { client: 'two' });
    add('first', { client: 'one' });
    add('second', { client: 'one' });
    add('third', { client: 'one' });
    await vi.advanceTimersByTimeAsync(0);
    expect(rejected).toEqual(['first: client']);
  });

  it('rejects, when it is full and no client is known, the job with the lowest demand', async () => {
    const { add, rejected } = open({ capacity: 2 });
    add('running');
    add('popular', { waiters: 5 });
    add('single');
    add('new');
    await vi.advanceTimersByTimeAsync(0);
    expect(rejected).toEqual(['single: capacity']);
  });

  it('rejects a job that waits for too long, and counts it', async () => {
    const { queue, add, rejected } = open();
    add('running');
    add('waiting');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rejected).toEqual(['waiting: timeout']);
    expect(queue.stats()).toEqual({ running: 1, waiting: 0, rejected: 1 });
    expect(queue.isIdle()).toBe(false);
  });

  it('frees the slot of a job that fails', async () => {
    const queue = new PriorityQueue<Named>(OPTIONS);
    const failed = queue.add({ name: 'a', waiters: 1 }, () => Promise.reject(new Error('down')));
    await expect(failed).rejects.toThrow('down');
    await expect(queue.add({ name: 'b', waiters: 1 }, async () => 'done')).resolves.toBe('done');
  });
});
