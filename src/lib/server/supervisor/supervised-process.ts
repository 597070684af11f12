import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '../../i18n/cli.ts';
import type { Environment, ServerSettings } from '../settings.ts';

export type ProcessMessage = { type: string };
/** How a process ended. */
type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A child process that has reported that it is ready. */
export type Child<Ready extends ProcessMessage = ProcessMessage> = {
  process: ChildProcess;
  ready: Ready;
  startedAt: number;
  exit: Promise<Exit>;
};

/** A child process ended, or was killed, before it was ready. */
export class ProcessNotReady extends Error {
  override name = 'ProcessNotReady';
  /** How it ended; undefined if it did not start, or not in time. */
  readonly exit: Exit | undefined;
  /** @param reason how it ended, or why it did not start; undefined after a timeout */
  constructor(reason: Exit | Error | undefined) {
    const failed = reason instanceof Error;
    super(failed ? reason.message : reason ? describeExit(reason) : SERVER.notInTime, {
      cause: failed ? reason : undefined,
    });
    this.exit = failed ? undefined : reason;
  }
}

/** Describes how a process ended, for the log. */
const describeExit = ({ code, signal }: Exit) =>
  signal ? SERVER.bySignal(signal) : SERVER.byCode(code ?? 0);

const exitOf = async (child: ChildProcess): Promise<Exit> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
};

/**
 * Waits until a forked process reports that it is ready.
 * @param timeoutMs timeout in milliseconds
 * @throws ProcessNotReady when the process has ended; after a timeout it is killed
 */
async function waitUntilReady<Ready extends ProcessMessage>(
  process: ChildProcess,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<Child<Ready>> {
  const startedAt = performance.now();
  const exit = exitOf(process);
  const ready = Promise.withResolvers<Ready>();
  const onMessage = (message: ProcessMessage) => {
    if (message.type === 'ready') ready.resolve(message as Ready);
  };
  process.on('message', onMessage);
  const late = new AbortController();
  try {
    const first = await Promise.race([
      ready.promise,
      exit.then((how) => new ProcessNotReady(how)),
      ...(Number.isFinite(timeoutMs)
        ? [wait(timeoutMs, new ProcessNotReady(undefined), { signal: late.signal })]
        : []),
    ]);
    if (!(first instanceof ProcessNotReady)) return { process, ready: first, startedAt, exit };
    process.kill('SIGKILL');
    await exit;
    throw first;
  } finally {
    late.abort();
    process.off('message', onMessage);
  }
}

/**
 * Kills a process whose event loop is blocked. It counts missed checks instead of time: after a suspension, of the
 * machine or of this process, only one check is missed.
 * @param silenceMs milliseconds without a heartbeat
 */
function killWhenStuck({ process, exit }: Child, silenceMs: number, onStuck: () => void): void {
  const maxMissed = 4;
  let hasBeat = true;
  let missed = 0;
  process.on('message', ({ type }: ProcessMessage) => {
    if (type === HEARTBEAT) hasBeat = true;
  });
  const checking = setInterval(() => {
    missed = hasBeat ? 0 : missed + 1;
    hasBeat = false;
    if (missed < maxMissed) return;
    clearInterval(checking);
    onStuck();
    process.kill('SIGKILL');
  }, silenceMs / maxMissed).unref();
  void exit.then(() => clearInterval(checking));
}

/** Sends SIGTERM, and SIGKILL after `timeoutMs` milliseconds. */
export async function endProcess({ process, exit }: Child, timeoutMs: number): Promise<Exit> {
  process.kill('SIGTERM');
  const timeout = setTimeout(() => process.kill('SIGKILL'), timeoutMs);
  try {
    return await exit;
  } finally {
    clearTimeout(timeout);
  }
}

/** Settings and environment, read again at each deploy. */
export type Configuration = { settings: ServerSettings; environment: Environment };

/** Delays before a dead process is restarted, in milliseconds. */
export type RestartDelays = {
  shortest: number;
  longest: number;
  /** After running this long, the delay starts again at `shortest`. */
  healthy: number;
};

const RESTART_DELAYS: RestartDelays = { shortest: 250, longest: 30_000, healthy: 60_000 };

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

export type ChildOptions = {
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

export type SupervisedProcess<Ready extends ProcessMessage> = {
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
export async function superviseProcess<Ready extends ProcessMessage>(
  task: ChildOptions,
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
    let forked: ChildProcess | undefined;
    try {
      forked = task.fork();
      startingProcesses.add(forked);
      return await waitUntilReady<Ready>(forked, task.startTimeoutMs);
    } catch (error) {
      // The system could not start a process, for example because memory is short. It may the next time.
      throw error instanceof ProcessNotReady ? error : new ProcessNotReady(error as Error);
    } finally {
      if (forked) startingProcesses.delete(forked);
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

/** Interval of the heartbeat, in milliseconds. */
const HEARTBEAT_MS = 2_000;

const HEARTBEAT = 'beat';

/** Sends a heartbeat to the parent process, if there is one. */
export function sendSiteHeartbeats(): void {
  setInterval(() => {
    // A broken channel is reported by the 'disconnect' event.
    if (process.connected) process.send?.({ type: HEARTBEAT }, undefined, undefined, () => {});
  }, HEARTBEAT_MS).unref();
}
