import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '../../i18n/cli.ts';
import { type Child, end, endWhenStuck, howOf, type Message, NotUp, untilReady } from './child.ts';

/** How long what died is left alone before it is started again. In milliseconds. */
export type Pauses = {
  shortest: number;
  longest: number;
  /** Who lived so long is not a sick one that died again. */
  healthy: number;
};

export const PAUSES: Pauses = { shortest: 250, longest: 30_000, healthy: 60_000 };

/** Each pause is twice the one before, with up to a quarter more or less, so that several machines do not beat in time. */
export function openPauses({ shortest, longest, healthy }: Pauses = PAUSES, chance = Math.random) {
  let next = shortest;
  return {
    /** @param lived how long it ran, in ms */
    after(lived: number): number {
      if (lived >= healthy) next = shortest;
      const pause = next;
      next = Math.min(next * 2, longest);
      return Math.round(pause * (0.75 + chance() / 2));
    },
  };
}

export type Task = {
  /** What people call it. */
  name: string;
  fork(): ChildProcess;
  /** How long it may take until it is ready, in ms. */
  longest?: number;
  /** How long it may be silent before it counts as stuck, in ms; never where nothing is said. */
  silence?: number;
  pauses?: Pauses;
  /** Calls the first start off. */
  signal?: AbortSignal;
  say(sentence: string): void;
};

export type Kept<Ready extends Message> = {
  /** What the first one said when it was ready. */
  first: Ready;
  /** The one that runs; absent while it is started again. */
  current(): Child<Ready> | undefined;
  /** Ends the one that runs, as it was asked to, and starts another; whether that came up at once. */
  renew(longest: number): Promise<boolean>;
  /** Starts another beside the one that runs, which it gives back once the other is ready. @throws NotUp */
  replace(): Promise<Child<Ready> | undefined>;
  /** Ends it for good. @param longest how long that may take, in ms */
  stop(longest: number): Promise<void>;
  /** Ends it for good, at once. */
  kill(): void;
};

/**
 * Starts a process and keeps it running: what dies or is stuck is started again, ever less often, and never given up.
 * @throws NotUp when it ends by itself before it was ever ready: there is something to be mended, and it has said what
 */
export async function keepRunning<Ready extends Message>(task: Task): Promise<Kept<Ready>> {
  const { name, silence, say, signal } = task;
  const pauses = openPauses(task.pauses);
  const ended = new AbortController();
  let running: Child<Ready> | undefined;
  let first: Ready | undefined;
  let starting: Promise<void> | undefined;
  /** What has been forked and is not ready yet. */
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
      // Another may have been brought up meanwhile.
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
    // Killed from outside, it may come up the next time.
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
