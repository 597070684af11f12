import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { ENDS } from './deno/words.ts';
import type { logOf } from './log.ts';
import type { Refusal } from './refusals.ts';

/** Until a function listens. Deno itself needs 0.1 s; a cold disk and a busy machine more. */
const START_MS = 20_000;

/** What a function may still do when it is ended. */
const LAST_WORK_MS = 5_000;

/** One Deno that serves one function. */
export type FunctionProcess = {
  /** A new connection to it. @throws where nobody listens any more: nothing was sent, so it can be tried again */
  connect(): Promise<Socket>;
  /** Settles when it has ended, with what those who still waited are to be told. */
  ended: Promise<Refusal>;
  /** Lets it finish what it does in the background. */
  end(): Promise<void>;
};

type Start = {
  deno: string;
  /** Deno's own and the supervisor's. */
  commandLine: string[];
  environment: Record<string, string>;
  /** The path where it will listen. */
  socket: string;
  log: ReturnType<typeof logOf>;
};

/** @returns undefined when it did not come to listen; why stands in the log */
export async function startFunction(start: Start): Promise<FunctionProcess | undefined> {
  const { deno, commandLine, environment, socket, log } = start;
  // One that was killed leaves it behind.
  await rm(socket, { force: true });
  const child = spawn(deno, commandLine, {
    cwd: dirname(socket),
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.stdout) log(child.stdout, console.log);
  if (child.stderr) log(child.stderr, console.error);

  const exit = Promise.withResolvers<number | undefined>();
  child.on('exit', (code) => exit.resolve(code ?? undefined));
  child.on('error', (error) => {
    console.error('Deno could not be run:', error);
    exit.resolve(ENDS.failed);
  });
  const ended = exit.promise.then(refusalFor);

  const tooLong = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const ready = await Promise.race([once(child, 'message').then(() => true), ended.then(() => false)]);
  clearTimeout(tooLong);
  if (!ready) return undefined;

  return {
    ended,
    async connect() {
      const connection = connect(socket);
      await once(connection, 'connect');
      return connection;
    },
    async end() {
      child.send('end', () => {});
      const enough = setTimeout(() => child.kill('SIGKILL'), LAST_WORK_MS);
      await ended;
      clearTimeout(enough);
    },
  };
}

/** @param code undefined when a signal ended it: V8's own at the end of its heap, or the system's for memory */
function refusalFor(code: number | undefined): Refusal {
  if (code === ENDS.failed) return 'BOOT_ERROR';
  return code === ENDS.uncaught || code === ENDS.finished ? 'WORKER_ERROR' : 'WORKER_RESOURCE_LIMIT';
}
