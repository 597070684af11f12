import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '../../i18n/cli.ts';
import type { Environment, Settings } from '../settings.ts';
import { BEAT } from './heartbeat.ts';

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
export class NotUp extends Error {
  override name = 'NotUp';
  /** How it ended; undefined after a timeout. */
  readonly exit: Exit | undefined;
  constructor(exit: Exit | undefined) {
    super(exit ? howOf(exit) : SERVER.notInTime);
    this.exit = exit;
  }
}

/** Describes how a process ended, for the log. */
export const howOf = ({ code, signal }: Exit) =>
  signal ? SERVER.bySignal(signal) : SERVER.byCode(code ?? 0);

const exitOf = async (child: ChildProcess): Promise<Exit> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
};

/**
 * Waits until a forked process reports that it is ready.
 * @param longest timeout in milliseconds
 * @throws NotUp when the process has ended; after a timeout it is killed
 */
export async function untilReady<Ready extends Message>(
  process: ChildProcess,
  longest = Number.POSITIVE_INFINITY,
): Promise<Child<Ready>> {
  const startedAt = performance.now();
  const exit = exitOf(process);
  const ready = Promise.withResolvers<Ready>();
  const hear = (message: Message) => {
    if (message.type === 'ready') ready.resolve(message as Ready);
  };
  process.on('message', hear);
  const late = new AbortController();
  try {
    const first = await Promise.race([
      ready.promise,
      exit.then((how) => new NotUp(how)),
      ...(Number.isFinite(longest) ? [wait(longest, new NotUp(undefined), { signal: late.signal })] : []),
    ]);
    if (!(first instanceof NotUp)) return { process, ready: first, startedAt, exit };
    process.kill('SIGKILL');
    await exit;
    throw first;
  } finally {
    late.abort();
    process.off('message', hear);
  }
}

/**
 * Kills a process whose event loop is blocked. It counts missed checks instead of time: after a suspension, of the
 * machine or of this process, only one check is missed.
 * @param silence milliseconds without a heartbeat
 */
export function endWhenStuck({ process, exit }: Child, silence: number, say: () => void): void {
  const looks = 4;
  let heard = true;
  let missed = 0;
  process.on('message', ({ type }: Message) => {
    if (type === BEAT) heard = true;
  });
  const looking = setInterval(() => {
    missed = heard ? 0 : missed + 1;
    heard = false;
    if (missed < looks) return;
    clearInterval(looking);
    say();
    process.kill('SIGKILL');
  }, silence / looks).unref();
  void exit.then(() => clearInterval(looking));
}

/** Sends SIGTERM, and SIGKILL after `longest` milliseconds. */
export async function end({ process, exit }: Child, longest: number): Promise<Exit> {
  process.kill('SIGTERM');
  const enough = setTimeout(() => process.kill('SIGKILL'), longest);
  try {
    return await exit;
  } finally {
    clearTimeout(enough);
  }
}

/** Settings and environment, read again at each deploy. */
export type Said = { settings: Settings; environment: Environment };
