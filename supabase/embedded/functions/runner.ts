import type { Socket } from 'node:net';
import type { FunctionProcess } from './process.ts';
import type { Refusal } from './refusals.ts';

/** A function in whose process nobody has called for so long ends it. */
const IDLE_MS = 5 * 60_000;

/** After a start that failed nobody tries again for a moment: a crowd that calls must not start one Deno each. */
const FAILED_START_MS = 1_000;

/** A call that is under way. */
export type Call = {
  connection: Socket;
  /** Settles when the process that serves it has ended, with what its caller is to be told. */
  ended: Promise<Refusal>;
  /** To be called once, when the call is over. */
  over(): void;
};

/** One function: its process starts at the first call and ends when nobody calls any more. */
export type Runner = {
  /** @returns undefined when the function does not start */
  call(): Promise<Call | undefined>;
  stop(): Promise<void>;
};

export function openRunner(start: () => Promise<FunctionProcess | undefined>, idleMs = IDLE_MS): Runner {
  let current: Promise<FunctionProcess | undefined> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;
  const ending = new Set<Promise<void>>();

  const end = () => {
    const was = current;
    current = undefined;
    if (!was) return;
    const done = was.then((process) => process?.end()).finally(() => ending.delete(done));
    ending.add(done);
  };

  const running = (): Promise<FunctionProcess | undefined> => {
    if (current) return current;
    if (performance.now() - failedAt < FAILED_START_MS) return Promise.resolve(undefined);
    const starting = start();
    current = starting;
    const gone = () => {
      if (current === starting) current = undefined;
    };
    starting.then((process) => {
      if (process) process.ended.then(gone);
      else {
        failedAt = performance.now();
        gone();
      }
    }, gone);
    return starting;
  };

  const over = () => {
    calls -= 1;
    if (calls > 0) return;
    idle = setTimeout(end, idleMs);
    idle.unref();
  };

  const connectTo = async (process: FunctionProcess): Promise<Call | undefined> => {
    try {
      return { connection: await process.connect(), ended: process.ended, over };
    } catch {
      // It has just ended; its end may not have been noticed yet.
      await process.ended;
      return undefined;
    }
  };

  return {
    async call() {
      clearTimeout(idle);
      calls += 1;
      // Twice: nothing was sent to a process that was already gone.
      for (let tries = 0; tries < 2; tries += 1) {
        const process = await running();
        const call = process && (await connectTo(process));
        if (call) return call;
        if (!process) break;
      }
      over();
      return undefined;
    },
    async stop() {
      clearTimeout(idle);
      end();
      await Promise.all(ending);
    },
  };
}
