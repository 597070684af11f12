import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Kills processes. Ignores those that have ended. */
export function killAll(pids: Iterable<number>): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Returns whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Returns the child processes of a process. */
export function childrenOf(parent: number): number[] {
  const threads = `/proc/${parent}/task/${parent}/children`;
  return readFileSync(threads, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

export type Child<Ready> = {
  /** The message that reported readiness. */
  ready: Ready;
  pid: number;
  /** Everything written to stderr so far. */
  errors(): string;
  /** Everything written to stdout so far. */
  output(): string;
  /** Sends SIGTERM and waits for the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits. */
  kill(): Promise<void>;
  /** Waits for the exit code. */
  ended(): Promise<number | null>;
  /** Closes the channel to the child, as when its parent dies, and waits for the exit code. */
  abandon(): Promise<number | null>;
};

/** A failed start: the program's errors and its exit code. */
export class StartError extends Error {
  override name = 'StartError';
  readonly exitCode: number | null;
  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Node's compile cache, shared by all starts. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'stoppress-compiled') };

/**
 * Starts a program with exactly this environment and these flags of Node, and waits for `{type: 'ready'}`.
 * @throws StartError if the program ends first
 */
export async function startChild<Ready>(
  main: string,
  environment: Record<string, string>,
  flags: readonly string[] = process.execArgv,
): Promise<Child<Ready>> {
  const child = fork(main, {
    env: { ...COMPILE_CACHE, STOPPRESS_LOG: 'text', EMBEDDED_SUPABASE_LOG: 'text', ...environment },
    execArgv: [...flags],
    silent: true,
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const closed = once(child, 'close') as Promise<[number | null]>;

  const message = await Promise.race([
    once(child, 'message').then(([output]) => output as Ready & { type: string }),
    closed.then(() => undefined),
  ]);
  if (message?.type !== 'ready') {
    const [exitCode] = await closed;
    throw new StartError(errors, exitCode);
  }
  return {
    ready: message,
    pid: child.pid as number,
    errors: () => errors,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      return (await closed)[0];
    },
    async ended() {
      return (await closed)[0];
    },
    async kill() {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await closed;
    },
    async abandon() {
      // Node emits no 'close' for a child whose channel this side has closed.
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.disconnect();
      return (await exited)[0];
    },
  };
}

const MAIN = resolve('packages/embedded-supabase/src/main.ts');

type Ready = { url: string; publishableKey: string; secretKey: string; headers: Record<string, string> };

export type BackendProcess = Ready & Omit<Child<Ready>, 'ready'>;

/**
 * Starts the backend with exactly this environment and waits until it is ready.
 * @throws StartError if the backend ends first
 */
export async function startProcess(environment: Record<string, string>): Promise<BackendProcess> {
  const { ready, ...child } = await startChild<Ready>(MAIN, environment);
  const { url, publishableKey, secretKey, headers } = ready;
  return { url, publishableKey, secretKey, headers, ...child };
}

export type Outcome = {
  exitCode: number | null;
  /** Output on stderr. */
  errors: string;
  /** The message that the program sends when it has finished. */
  report: { path: string; rows: number; files: number; bytes: number; replacedData: string[] } | undefined;
};

/** Runs the backup or restore program to its end, on the data that the environment names. */
export async function runDataProgram(
  name: 'backup' | 'restore',
  environment: Record<string, string>,
  ...args: string[]
): Promise<Outcome> {
  const child = fork(resolve('packages/embedded-supabase/src/data-program.ts'), [name, ...args], {
    env: { ...COMPILE_CACHE, ...environment },
    silent: true,
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdout?.resume();
  let report: Outcome['report'];
  child.on('message', (output: Outcome['report']) => {
    report = output;
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, errors, report };
}

/** Finds a free port, for programs that must know their address before they listen. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A listening server has a port.');
  return address.port;
}
