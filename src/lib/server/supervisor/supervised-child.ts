import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '../../i18n/cli.ts';
import {
  type Child,
  describeExit,
  endProcess,
  killWhenStuck,
  type Message,
  ProcessNotReady,
  waitUntilReady,
} from './child.ts';

/** Delays before a dead process is restarted, in milliseconds. */
export type RestartDelays = {
  shortest: number;
  longest: number;
  /** After running this long, the delay starts again at `shortest`. */
  healthy: number;
};

export const RESTART_DELAYS: RestartDelays = { shortest: 250, longest: 30_000, healthy: 60_000 };

/** Exponential backoff with 25 % jitter, so that several machines do not restart in step. */
export function createBackoff(
  { shortest, longest, healthy }: RestartDelays = RESTART_DELAYS,
  random = Math.random,
) {
  let next = shortest;
  return {
    /** @param lived how long the process ran, in ms */
    after(lived: number): number {
      if (lived >= healthy) next = shortest;
      const pause = next;
      next = Math.min(next * 2, longest);
      return Math.round(pause * (0.75 + random() / 2));
    },
  };
}

export type ProcessOptions = {
  /** Name in the log. */
  name: string;
  fork(): ChildProcess;
  /** Timeout of the start, in ms. */
  startTimeoutMs?: number;
  /** Maximum time without a heartbeat, in ms; undefined for a process that sends none. */
  heartbeatTimeoutMs?: number;
  delays?: RestartDelays;
  /** Aborts the first start. */
  signal?: AbortSignal;
  log(sentence: string): void;
};

export type SupervisedProcess<Ready extends Message> = {
  /** Ready message of the first process. */
  first: Ready;
  /** The running process; undefined while it is restarted. */
  current(): Child<Ready> | undefined;
  /** Ends the running process and starts a new one. Returns whether that started at the first attempt. */
  restartNow(longest: number): Promise<boolean>;
  /** Starts a second process, then returns the old one once the new one is ready. @throws ProcessNotReady */
  replace(): Promise<Child<Ready> | undefined>;
  /** Stops it for good. @param longest time that it may take, in ms */
  stop(longest: number): Promise<void>;
  /** Kills it for good. */
  kill(): void;
};

/**
 * Starts a process and restarts it whenever it dies or hangs, with growing delays and without limit.
 * @throws ProcessNotReady when it ends before it was ever ready, after logging the reason
 */
export async function superviseProcess<Ready extends Message>(
  task: ProcessOptions,
): Promise<SupervisedProcess<Ready>> {
  const { name, heartbeatTimeoutMs, log, signal } = task;
  const delays = createBackoff(task.delays);
  const ended = new AbortController();
  let running: Child<Ready> | undefined;
  let first: Ready | undefined;
  let starting: Promise<void> | undefined;
  /** Forked processes that are not ready yet. */
  const startingProcesses = new Set<ChildProcess>();

  async function startProcess(): Promise<Child<Ready>> {
    const forked = task.fork();
    startingProcesses.add(forked);
    try {
      return await waitUntilReady<Ready>(forked, task.startTimeoutMs);
    } finally {
      startingProcesses.delete(forked);
    }
  }

  function adopt(child: Child<Ready>): void {
    running = child;
    first ??= child.ready;
    if (heartbeatTimeoutMs)
      killWhenStuck(child, heartbeatTimeoutMs, () => log(SERVER.childStuck(name, heartbeatTimeoutMs / 1000)));
    void child.exit.then((exit) => {
      if (running !== child) return;
      running = undefined;
      if (!ended.signal.aborted) starting = restart(describeExit(exit), performance.now() - child.startedAt);
    });
  }

  async function restart(how: string, lived: number): Promise<void> {
    for (let [why, age] = [how, lived]; ; ) {
      const pause = delays.after(age);
      log(SERVER.childEnded(name, why, pause / 1000));
      await wait(pause, undefined, { signal: ended.signal }).catch(() => undefined);
      // `restartNow` or `replace` may have started another one meanwhile.
      if (ended.signal.aborted || running) return;
      try {
        const child = await startProcess();
        if (running || ended.signal.aborted) return void (await endProcess(child, 0));
        adopt(child);
        return log(SERVER.childBack(name));
      } catch (error) {
        if (!(error instanceof ProcessNotReady)) throw error;
        if (ended.signal.aborted) return;
        [why, age] = [error.message, 0];
      }
    }
  }

  function kill(): void {
    ended.abort();
    for (const forked of startingProcesses) forked.kill('SIGKILL');
    running?.process.kill('SIGKILL');
  }

  signal?.addEventListener('abort', kill, { once: true });
  try {
    adopt(await startProcess());
  } catch (error) {
    if (ended.signal.aborted) throw error;
    // A process that was killed from outside may start the next time.
    if (!(error instanceof ProcessNotReady && error.exit?.signal)) throw error;
    await restart(error.message, 0);
    if (ended.signal.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', kill);
  }
  if (!first) throw new Error(SERVER.notStarted);
  return {
    first,
    current: () => running,
    async restartNow(longest) {
      const old = running;
      running = undefined;
      if (old) await endProcess(old, longest);
      if (ended.signal.aborted || running) return false;
      try {
        adopt(await startProcess());
        return true;
      } catch (error) {
        if (!(error instanceof ProcessNotReady)) throw error;
        if (!ended.signal.aborted) starting = restart(error.message, 0);
        return false;
      }
    },
    async replace() {
      const next = await startProcess();
      if (ended.signal.aborted) {
        await endProcess(next, 0);
        return undefined;
      }
      const old = running;
      adopt(next);
      return old;
    },
    async stop(longest) {
      ended.abort();
      for (const forked of startingProcesses) forked.kill('SIGTERM');
      const old = running;
      if (old) await endProcess(old, longest);
      await starting;
    },
    kill,
  };
}
