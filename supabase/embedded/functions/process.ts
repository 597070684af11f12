import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { counts } from '../numbers/counts.ts';
import { ENDS } from './deno/words.ts';
import { greet } from './greeting.ts';
import type { LogOf } from './log.ts';
import type { Refusal } from './refusals.ts';

/** Until a function listens. Deno itself needs 0.1 s; a cold disk and a busy machine more. */
const START_MS = 20_000;

/** What a function may still do in the background when it is ended. */
const LAST_WORK_MS = 5_000;

/** One Deno that serves one function. */
export type FunctionProcess = {
  /** Whether it came to listen; if not, why stands in the log. */
  ready: Promise<boolean>;
  /** A new connection, on which it has answered. @throws NobodyThere */
  connect(): Promise<Socket>;
  /** Settles when it has ended, with what those who still waited are to be told. */
  ended: Promise<Refusal>;
  /** Lets it finish what it does in the background; one that is only starting is stopped at once. */
  end(): Promise<void>;
};

type Start = {
  deno: string;
  /** Deno's own and the supervisor's. */
  commandLine: string[];
  environment: Record<string, string>;
  /** The path where it will listen. */
  socket: string;
  logLines: LogOf;
  /** Deno itself could be run, or not. */
  runs(): void;
  failed(error: Error): void;
};

export function startFunction(given: Start): FunctionProcess {
  const { deno, commandLine, environment, socket, logLines } = given;
  // One that was killed leaves it behind.
  rmSync(socket, { force: true });
  const child = spawn(deno, commandLine, {
    cwd: dirname(socket),
    env: environment,
    // The channel's end tells it that we are gone, however that came.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.stdout) logLines(child.stdout, 'info');
  if (child.stderr) logLines(child.stderr, 'error');

  counts.functions_started += 1;
  const exit = Promise.withResolvers<number | null>();
  child.on('exit', (code) => {
    if (code !== ENDS.finished) counts.functions_failed += 1;
    exit.resolve(code);
  });
  child.on('error', (error) => {
    given.failed(error);
    exit.resolve(ENDS.failed);
  });
  const ended = exit.promise.then(refusalFor);

  let listens = false;
  const heard = once(child, 'message').then(() => {
    listens = true;
    given.runs();
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const ready = Promise.race([heard, ended]).then(() => {
    clearTimeout(tooLong);
    return listens;
  });

  return {
    ready,
    ended,
    connect: () => greet(socket),
    async end() {
      if (!listens) child.kill('SIGKILL');
      else child.send('end', () => {});
      const enough = setTimeout(() => child.kill('SIGKILL'), LAST_WORK_MS);
      await ended;
      clearTimeout(enough);
    },
  };
}

/** @param code null when a signal ended it: V8's own at the end of its heap, or the system's for want of memory */
function refusalFor(code: number | null): Refusal {
  if (code === ENDS.failed) return 'BOOT_ERROR';
  return code === null || code === ENDS.blocked || code === ENDS.memory || code > 128
    ? 'WORKER_RESOURCE_LIMIT'
    : 'WORKER_ERROR';
}
