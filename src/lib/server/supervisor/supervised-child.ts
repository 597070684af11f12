import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '../../i18n/cli.ts';
import { type Child, end, endWhenStuck, howOf, type Message, NotUp, untilReady } from './child.ts';

/** Delays before a dead process is restarted, in milliseconds. */
export type Pauses = {
  shortest: number;
  longest: number;
  /** After running this long, the delay starts again at `shortest`. */
  healthy: number;
};

export const PAUSES: Pauses = { shortest: 250, longest: 30_000, healthy: 60_000 };

/** Exponential backoff with 25 % jitter, so that several machines do not restart in step. */
export function openPauses({ shortest, longest, healthy }: Pauses = PAUSES, chance = Math.random) {
  let next = shortest;
  return {
    /** @param lived how long the process ran, in ms */
    after(lived: number): number {
      if (lived >= healthy) next = shortest;
      const pause = next;
      next = Math.min(next * 2, longest);
      return Math.round(pause * (0.75 + chance() / 2));
    },
  };
}

export type Task = {
  /** Name in the log. */
  name: string;
  fork(): ChildProcess;
  /** Timeout of the start, in ms. */
  longest?: number;
  /** Maximum time without a heartbeat, in ms; undefined for a process that sends none. */
  silence?: number;
  pauses?: Pauses;
  /** Aborts the first start. */
  signal?: AbortSignal;
  say(sentence: string): void;
};

export type Kept<Ready extends Message> = {
  /** Ready message of the first process. */
  first: Ready;
  /** The running process; undefined while it is restarted. */
  current(): Child<Ready> | undefined;
  /** Ends the running process and starts a new one. Returns whether that started at the first attempt. */
  renew(longest: number): Promise<boolean>;
  /** Starts a second process, then returns the old one once the new one is ready. @throws NotUp */
  replace(): Promise<Child<Ready> | undefined>;
  /** Stops it for good. @param longest time that it may take, in ms */
  stop(longest: number): Promise<void>;
  /** Kills it for good. */
  kill(): void;
};

/**
 * Starts a process and restarts it whenever it dies or hangs, with growing delays and without limit.
 * @throws NotUp when it ends before it was ever ready, after logging the reason
 */
export async function keepRunning<Ready extends Message>(task: Task): Promise<Kept<Ready>> {
  const { name, silence, say, signal } = task;
  const pauses = openPauses(task.pauses);
  const ended = new AbortController();
  let running: Child<Ready> | undefined;
  let first: Ready | undefined;
  let starting: Promise<void> | undefined;
  /** Forked processes that are not ready yet. */
  const young = new Set<ChildProcess>();

  async function bringUp(): Promise<Child<Ready>> {
    const forked = task.fork();
    young.add(forked);
    try {
      return await untilReady<Ready>(forked, task.longest);
    } finally {
      young.delete(forked);
    }
  }

  function hold(child: Child<Ready>): void {
    running = child;
    first ??= child.ready;
    if (silence) endWhenStuck(child, silence, () => say(SERVER.childStuck(name, silence / 1000)));
    void child.exit.then((exit) => {
      if (running !== child) return;
      running = undefined;
      if (!ended.signal.aborted) starting = again(howOf(exit), performance.now() - child.startedAt);
    });
  }

  async function again(how: string, lived: number): Promise<void> {
    for (let [why, age] = [how, lived]; ; ) {
      const pause = pauses.after(age);
      say(SERVER.childEnded(name, why, pause / 1000));
      await wait(pause, undefined, { signal: ended.signal }).catch(() => undefined);
      // `renew` or `replace` may have started another one meanwhile.
      if (ended.signal.aborted || running) return;
      try {
        const child = await bringUp();
        if (running || ended.signal.aborted) return void (await end(child, 0));
        hold(child);
        return say(SERVER.childBack(name));
      } catch (error) {
        if (!(error instanceof NotUp)) throw error;
        if (ended.signal.aborted) return;
        [why, age] = [error.message, 0];
      }
    }
  }

  function kill(): void {
    ended.abort();
    for (const forked of young) forked.kill('SIGKILL');
    running?.process.kill('SIGKILL');
  }

  signal?.addEventListener('abort', kill, { once: true });
  try {
    hold(await bringUp());
  } catch (error) {
    if (ended.signal.aborted) throw error;
    // A process that was killed from outside may start the next time.
    if (!(error instanceof NotUp && error.exit?.signal)) throw error;
    await again(error.message, 0);
    if (ended.signal.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', kill);
  }
  if (!first) throw new Error(SERVER.notStarted);
  return {
    first,
    current: () => running,
    async renew(longest) {
      const old = running;
      running = undefined;
      if (old) await end(old, longest);
      if (ended.signal.aborted || running) return false;
      try {
        hold(await bringUp());
        return true;
      } catch (error) {
        if (!(error instanceof NotUp)) throw error;
        if (!ended.signal.aborted) starting = again(error.message, 0);
        return false;
      }
    },
    async replace() {
      const next = await bringUp();
      if (ended.signal.aborted) {
        await end(next, 0);
        return undefined;
      }
      const old = running;
      hold(next);
      return old;
    },
    async stop(longest) {
      ended.abort();
      for (const forked of young) forked.kill('SIGTERM');
      const old = running;
      if (old) await end(old, longest);
      await starting;
    },
    kill,
  };
}
