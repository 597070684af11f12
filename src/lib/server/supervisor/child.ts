import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '../../i18n/cli.ts';
import type { Environment, Settings } from '../settings.ts';
import { HEARTBEAT } from './heartbeat.ts';

export type Message = { type: string };
/** How a process ended. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A child process that has reported that it is ready. */
export type Child<Ready extends Message = Message> = {
  process: ChildProcess;
  ready: Ready;
  startedAt: number;
  exit: Promise<Exit>;
};

/** A child process ended, or was killed, before it was ready. */
export class ProcessNotReady extends Error {
  override name = 'NotUp';
  /** How it ended; undefined after a timeout. */
  readonly exit: Exit | undefined;
  constructor(exit: Exit | undefined) {
    super(exit ? describeExit(exit) : SERVER.notInTime);
    this.exit = exit;
  }
}

/** Describes how a process ended, for the log. */
export const describeExit = ({ code, signal }: Exit) =>
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
export async function waitUntilReady<Ready extends Message>(
  process: ChildProcess,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<Child<Ready>> {
  const startedAt = performance.now();
  const exit = exitOf(process);
  const ready = Promise.withResolvers<Ready>();
  const onMessage = (message: Message) => {
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
export function killWhenStuck({ process, exit }: Child, silenceMs: number, onStuck: () => void): void {
  const maxMissed = 4;
  let hasBeat = true;
  let missed = 0;
  process.on('message', ({ type }: Message) => {
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

/** Sends SIGTERM, and SIGKILL after `longest` milliseconds. */
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
export type Configuration = { settings: Settings; environment: Environment };
