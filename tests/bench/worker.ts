import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** A separate process, so that load and server do not share a thread. */
export type Worker = {
  pid: number;
  /** Runs a task and returns its result. */
  ask<Answer>(what: string, given?: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

type Call = { id: number; what: string; given: unknown };
type Reply = { id: number; answer?: unknown; failed?: string };

/** Starts a file of this folder that calls `serve`. */
export function startWorker(file: string): Worker {
  const child = fork(resolve(import.meta.dirname, file), { stdio: 'inherit' });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', ({ id, answer, failed }: Reply) => {
    const call = open.get(id);
    open.delete(id);
    if (failed === undefined) call?.resolve(answer);
    else call?.reject(new Error(`${file}: ${failed}`));
  });
  child.once('exit', () => {
    for (const call of open.values()) call.reject(new Error(`${file} has ended.`));
    open.clear();
  });
  let asked = 0;
  return {
    pid: child.pid as number,
    ask<Answer>(what: string, given?: unknown) {
      const call = Promise.withResolvers<unknown>();
      const id = ++asked;
      open.set(id, call);
      child.send({ id, what, given } satisfies Call);
      return call.promise as Promise<Answer>;
    },
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.disconnect();
  await once(child, 'exit');
}

/** In the worker: runs tasks by name. The process ends with its parent. */
export function serve(tasks: Record<string, (given: never) => unknown>): void {
  process.on('message', async ({ id, what, given }: Call) => {
    try {
      const answer = await tasks[what]?.(given as never);
      process.send?.({ id, answer } satisfies Reply);
    } catch (error) {
      process.send?.({ id, failed: String(error) } satisfies Reply);
    }
  });
  process.on('disconnect', () => process.exit(0));
}
