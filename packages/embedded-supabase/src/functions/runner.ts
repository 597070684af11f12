import type { Socket } from 'node:net';
import { type FunctionProcess, NotListening } from './process.ts';
import type { FunctionErrorCode } from './refusals.ts';

/** The process of a function ends after this time without a call. */
const IDLE_MS = 60_000;

/** After a failed start no other is attempted for this time, so that many callers do not start many processes. */
const FAILED_START_MS = 1_000;

/** Maximum concurrent calls of a function: each uses a connection, and all share its 192 MB. */
const MOST_CALLS = 100;

/** A call that is under way. */
export type FunctionCall = {
  connection: Socket;
  /** Resolves when the process of the call has ended, with the error for the caller. */
  ended: Promise<FunctionErrorCode>;
};

/** One function. Its process starts at the first call and ends after a time without calls. */
export type Runner = {
  /** A connection to the function, for one call: it is over when that closes. Or why there is none. */
  call(): Promise<FunctionCall | FunctionErrorCode>;
  stop(): Promise<void>;
};

/** @param start answers nothing where it cannot, and has said why */
export function openRunner(
  start: () => FunctionProcess | undefined,
  idleMs = IDLE_MS,
  mostCalls = MOST_CALLS,
): Runner {
  let current: FunctionProcess | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;
  const ending = new Set<Promise<void>>();

  const end = () => {
    if (!current) return;
    const done = current.end().finally(() => ending.delete(done));
    ending.add(done);
    current = undefined;
  };

  const startNow = (): FunctionProcess | undefined => {
    if (performance.now() - failedAt < FAILED_START_MS) return undefined;
    const started = start();
    current = started;
    started?.ended.then(() => {
      if (current === started) current = undefined;
    });
    return started;
  };

  const running = async (): Promise<FunctionProcess | undefined> => {
    const process = current ?? startNow();
    if (await process?.ready) return process;
    failedAt = performance.now();
    return undefined;
  };

  const over = () => {
    calls -= 1;
    if (calls > 0) return;
    idle = setTimeout(end, idleMs);
    idle.unref();
  };

  const connectOrWhyNot = async (triesLeft: number): Promise<FunctionCall | FunctionErrorCode> => {
    const process = await running();
    if (!process) return 'BOOT_ERROR';
    try {
      return { connection: await process.connect(), ended: process.ended };
    } catch (error) {
      // Too many wait for it already, or we have too much open ourselves.
      if (!(error instanceof NotListening)) return 'WORKER_RESOURCE_LIMIT';
      // Whatever does not listen any more has ended, or is ended now.
      await process.end();
      return triesLeft > 0 ? connectOrWhyNot(triesLeft - 1) : process.ended;
    }
  };

  return {
    async call() {
      if (calls >= mostCalls) return 'TOO_MANY_REQUESTS';
      clearTimeout(idle);
      calls += 1;
      const call = await connectOrWhyNot(1);
      if (typeof call === 'string') over();
      else call.connection.once('close', over);
      return call;
    },
    async stop() {
      clearTimeout(idle);
      end();
      await Promise.all(ending);
    },
  };
}
