import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '../../i18n/cli.ts';
import type { Environment, Settings } from '../settings.ts';
import { BEAT } from './heartbeat.ts';

export type Message = { type: string };
/** How a process ended. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A process of ours that has said that it is ready. */
export type Child<Ready extends Message = Message> = {
  process: ChildProcess;
  ready: Ready;
  startedAt: number;
  exit: Promise<Exit>;
};

/** It ended, or was ended, before it was ready. */
export class NotUp extends Error {
  override name = 'NotUp';
  /** How it ended; nothing when it took too long. */
  readonly exit: Exit | undefined;
  constructor(exit: Exit | undefined) {
    super(exit ? howOf(exit) : SERVER.notInTime);
    this.exit = exit;
  }
}

/** A process that ended, in words. */
export const howOf = ({ code, signal }: Exit) =>
  signal ? SERVER.bySignal(signal) : SERVER.byCode(code ?? 0);

const exitOf = async (child: ChildProcess): Promise<Exit> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
};

/**
 * Waits until a process that was just forked is ready.
 * @param longest milliseconds that it may take
 * @throws NotUp, when it has ended
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
 * Ends a process whose event loop does not turn any more. Looks are counted, not time: a machine that slept, or this very
 * process when it was busy, finds one look without a beat and not many.
 * @param silence milliseconds without a beat
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

/** Asks a process to end, and ends it when it has not after a while. */
export async function end({ process, exit }: Child, longest: number): Promise<Exit> {
  process.kill('SIGTERM');
  const enough = setTimeout(() => process.kill('SIGKILL'), longest);
  try {
    return await exit;
  } finally {
    clearTimeout(enough);
  }
}

/** What everything is to be run with, read anew at each deploy. */
export type Said = { settings: Settings; environment: Environment };
