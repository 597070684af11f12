import { AsyncResource } from 'node:async_hooks';

/** Work that one or several clients wait for. */
export type QueuedJob = {
  /** Clients that wait for the result. The job with most of them runs first. It may grow while the job is queued. */
  waiters: number;
  /** The client network that a job is for; undefined when several clients wait for it, or when it is not known. */
  client?: string;
};

/** Why a job did not run: its client has too many waiting, the queue is full, or it has waited for too long. */
export type RejectionReason = 'client' | 'capacity' | 'timeout';

export type PriorityQueueOptions<J extends QueuedJob> = {
  /** Jobs that run at once. */
  concurrency: number;
  /** Jobs that run at once for a single waiter or for none. Default: `concurrency`. */
  forOneWaiter?: number;
  /** Jobs that run at once for one client. Default: `concurrency`. */
  perClient?: number;
  /** Jobs that may wait. */
  capacity: number;
  /** How long a job may wait before it is rejected, in milliseconds. */
  timeoutMs: number;
  /** Makes the error that `add` rejects with. */
  rejectionFor(job: J, reason: RejectionReason): Error;
};

type Waiting = {
  run(): Promise<void>;
  reject(reason: Error): void;
  /** The number of jobs that were added before this one. */
  position: number;
  /** Since when it waits for its turn, by `performance.now`: since it was added, or since its client had a turn. */
  since: number;
  timeout: NodeJS.Timeout;
};

/** A job that has waited for its turn this long counts as one more waiter, so that pages with one reader are not starved. In ms. */
const AGING_MS = 2_000;

/**
 * A queue with limited concurrency that runs the job with the most waiters first. Time in the queue counts as waiters.
 *
 * Made-up addresses have one waiter and one client each. Both limits (`forOneWaiter`, `perClient`) keep slots free for
 * other jobs, so that one client cannot delay a page that many readers want, nor the only reader of an old page.
 * Clients take turns: whenever a job of a client starts or ends, the waiting time of its other jobs begins again.
 * A full queue rejects a job of the client that has the most jobs waiting, if one has several. Otherwise it rejects the
 * job with the lowest demand: jobs added since, divided by waiters.
 */
export class PriorityQueue<J extends QueuedJob> {
  readonly #options: Required<PriorityQueueOptions<J>>;
  readonly #waiting = new Map<J, Waiting>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #runningForOne = 0;
  #added = 0;
  #rejected = 0;

  constructor(options: PriorityQueueOptions<J>) {
    this.#options = { forOneWaiter: options.concurrency, perClient: options.concurrency, ...options };
  }

  /** Runs `task` when a slot is free. Rejects when the job is displaced or times out first. */
  add<T>(job: J, task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= this.#options.capacity) {
        // A job without a waiter displaces no other.
        if (job.waiters === 0) return reject(this.#options.rejectionFor(job, 'capacity'));
        this.#displace();
      }
      const timeout = setTimeout(() => this.#reject(job, 'timeout'), this.#options.timeoutMs);
      // The job runs in the async context of the request that added it, whichever job frees the slot.
      const run = AsyncResource.bind(() => task().then(resolve, reject));
      const since = performance.now();
      this.#waiting.set(job, { run, reject, position: this.#added++, since, timeout });
      this.#runNext();
    });
  }

  /** Call after a queued job gained a waiter. */
  reprioritize(): void {
    this.#runNext();
  }

  stats(): { running: number; waiting: number; rejected: number } {
    return { running: this.#running, waiting: this.#waiting.size, rejected: this.#rejected };
  }

  /** Whether no job runs or waits. */
  isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0;
  }

  #runNext(): void {
    while (this.#running < this.#options.concurrency) {
      const runnable = [...this.#waiting].filter(([job]) => this.#mayRun(job));
      const now = performance.now();
      const next = highest(
        runnable,
        ([{ waiters, client }, { since }]) => waiters + (now - since) / AGING_MS - this.#shareOf(client),
      );
      if (!next) return;
      void this.#start(next[0]);
    }
  }

  #mayRun({ waiters, client }: J): boolean {
    if (waiters <= 1 && this.#runningForOne >= this.#options.forOneWaiter) return false;
    return client === undefined || (this.#runningOf.get(client) ?? 0) < this.#options.perClient;
  }

  /** Less than one waiter: among equal jobs those run first whose client has the fewest running. */
  #shareOf = (client: string | undefined): number =>
    client === undefined ? 0 : (this.#runningOf.get(client) ?? 0) / (this.#options.perClient + 1);

  async #start(job: J): Promise<void> {
    const { run } = this.#remove(job) as Waiting;
    const { client } = job;
    const isForOne = job.waiters <= 1;
    this.#running++;
    if (isForOne) this.#runningForOne++;
    if (client !== undefined) this.#hadTurn(client, 1);
    await run();
    this.#running--;
    if (isForOne) this.#runningForOne--;
    if (client !== undefined) this.#hadTurn(client, -1);
    this.#runNext();
  }

  #hadTurn(client: string, change: number): void {
    this.#count(client, change);
    const now = performance.now();
    for (const [job, waiting] of this.#waiting) if (job.client === client) waiting.since = now;
  }

  #count(client: string, change: number): void {
    const running = (this.#runningOf.get(client) ?? 0) + change;
    if (running > 0) this.#runningOf.set(client, running);
    else this.#runningOf.delete(client);
  }

  #displace(): void {
    const jobs = new Map<string, number>();
    for (const { client } of this.#waiting.keys())
      if (client !== undefined) jobs.set(client, (jobs.get(client) ?? 0) + 1);
    const [client, most = 0] = highest(jobs, ([, count]) => count) ?? [];
    const candidates = [...this.#waiting].filter(([job]) => most < 2 || job.client === client);
    const lowest = highest(candidates, ([{ waiters }, { position }]) => (this.#added - position) / waiters);
    if (lowest) this.#reject(lowest[0], most < 2 ? 'capacity' : 'client');
  }

  #reject(job: J, reason: RejectionReason): void {
    const waiting = this.#remove(job);
    this.#rejected++;
    waiting?.reject(this.#options.rejectionFor(job, reason));
  }

  #remove(job: J): Waiting | undefined {
    const waiting = this.#waiting.get(job);
    clearTimeout(waiting?.timeout);
    this.#waiting.delete(job);
    return waiting;
  }
}

/** The first item with the highest value; undefined when there is none. */
function highest<T>(items: Iterable<T>, rank: (item: T) => number): T | undefined {
  let best: T | undefined;
  let value = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    const itemValue = rank(item);
    if (itemValue > value) [best, value] = [item, itemValue];
  }
  return best;
}
