import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createTokenBucket } from '../gateway/rate-limits.ts';
import { backendLog, openLog } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import { EXIT_CODES } from './deno/protocol.ts';
import type { FunctionErrorCode } from './refusals.ts';

const require = createRequire(import.meta.url);

/** Finds the Deno binary of npm. @returns undefined if this platform has none, or has no socket files */
export function findDeno(): string | undefined {
  const { platform, arch } = process;
  if (platform === 'win32') return undefined;
  const target = platform === 'linux' ? `linux-${arch}-glibc` : `${platform}-${arch}`;
  try {
    const folder = dirname(require.resolve(`@deno/${target}/package.json`));
    const binary = join(folder, 'deno');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Looks for Deno whenever a function starts, because it may be removed and installed again. Logs each change once.
 */
export function watchDeno(findBinary: () => string | undefined) {
  let isUnavailable = false;

  function reportUnavailable(reason: string, error?: Error): void {
    if (!isUnavailable) backendLog.error(`Functions cannot run: ${reason} Everything else works.`, { error });
    isUnavailable = true;
  }

  return {
    /** @returns undefined if there is none */
    find(): string | undefined {
      const binary = findBinary();
      if (!binary) reportUnavailable('npm has no Deno for this machine.');
      return binary;
    },
    /** Call it if Deno could not be run. */
    reportFailure(error: Error): void {
      reportUnavailable('Deno could not be run.', error);
    },
    reportSuccess(): void {
      if (isUnavailable) backendLog.warn('Functions run again.');
      isUnavailable = false;
    },
  };
}

/** Request with a path that no call has. The function's thread itself responds to it. */
const GREETING = 'GET / HTTP/1.1\r\nHost: function\r\n\r\n';

/** The process does not listen. No byte of the call was sent, so it can be retried. */
export class NotListeningError extends Error {
  override name = 'NotListeningError';
}

/** Error codes of a socket without a listener, or of a missing socket. */
const NOT_LISTENING_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT'];

/**
 * Connects, sends the greeting and waits for the response of the function's thread. A connection alone does not show
 * that the process is running, because the system also accepts connections for a process that is ending.
 * @throws NotListeningError
 */
async function connectTo(socket: string): Promise<Socket> {
  const connection = connect(socket);
  // The owner handles `close`; without an error listener, an error would end the backend.
  connection.on('error', () => {});
  try {
    await once(connection, 'connect');
    connection.write(GREETING);
    await waitForResponse(connection);
    return connection;
  } catch (error) {
    connection.destroy();
    if (NOT_LISTENING_CODES.includes(String((error as NodeJS.ErrnoException).code)))
      throw new NotListeningError();
    throw error;
  }
}

/** Reads the head of a response that has no body. */
function waitForResponse(connection: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    const end = (settle: () => void) => {
      connection.off('data', onData).off('close', onClose).off('error', reject);
      settle();
    };
    const onData = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (head.endsWith('\r\n\r\n')) end(resolve);
    };
    const onClose = () => end(() => reject(new NotListeningError()));
    connection.on('data', onData).on('close', onClose).on('error', reject);
  });
}

/** Limits of a hosted project's log: characters per line, and lines per ten seconds. */
const MAX_LINE_LENGTH = 10_000;
const LINE_RATE = { capacity: 100, perSecond: 10 };

/** Logs the lines of a stream: the function's standard output or standard error. */
type FunctionLog = (stream: Readable, level: 'info' | 'error') => void;

/** Creates the log for the output of a function. Lines are logged under the function's name, with a rate limit. */
export function functionLog(name: string): FunctionLog {
  const log = openLog(`function ${name}`);
  const lineBucket = createTokenBucket(LINE_RATE);
  let droppedLines = 0;
  return (stream, level) => {
    const logLine = (text: string) => {
      if (!lineBucket.take()) {
        droppedLines += 1;
        return;
      }
      if (droppedLines > 0) log[level](`(${droppedLines} lines left out)`);
      droppedLines = 0;
      // Readers of the log do not need control characters, most of which set colours.
      log[level](text.replace(/\p{Cc}/gu, ' '));
    };
    let partialLine = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const [first = '', ...rest] = chunk.split('\n');
      // Characters beyond the longest line are discarded.
      partialLine = (partialLine + first).slice(0, MAX_LINE_LENGTH);
      for (const part of rest) {
        logLine(partialLine);
        partialLine = part.slice(0, MAX_LINE_LENGTH);
      }
    });
    stream.on('end', () => partialLine && logLine(partialLine));
  };
}

/** Milliseconds until a function must listen. Deno itself needs 0.1 s, and more with a cold disk or a busy machine. */
const START_TIMEOUT_MS = 20_000;

/** Time for background work of a function that is stopped. */
const STOP_TIMEOUT_MS = 5_000;

/** A Deno process that serves one function. */
export type FunctionProcess = ReturnType<typeof startFunctionProcess>;

type StartOptions = {
  deno: string;
  /** Arguments of Deno and of the supervisor. */
  commandLine: string[];
  environment: Record<string, string>;
  /** Path of the socket on which the process will listen. */
  socket: string;
  logLines: FunctionLog;
  /** Runs when the function listens; `onSpawnError` runs when Deno itself cannot be run. */
  onListening(): void;
  onSpawnError(error: Error): void;
};

export function startFunctionProcess(options: StartOptions) {
  const { deno, commandLine, environment, socket, logLines } = options;
  // A process that was killed leaves its socket behind.
  rmSync(socket, { force: true });
  const child = spawn(deno, commandLine, {
    cwd: dirname(socket),
    env: environment,
    // The process ends when the IPC channel closes, even if the backend was killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.stdout) logLines(child.stdout, 'info');
  if (child.stderr) logLines(child.stderr, 'error');

  counters.functions_started += 1;
  const exit = Promise.withResolvers<number | null>();
  child.on('exit', (code) => {
    if (code !== EXIT_CODES.finished) counters.functions_failed += 1;
    exit.resolve(code);
  });
  child.on('error', (error) => {
    options.onSpawnError(error);
    exit.resolve(EXIT_CODES.failed);
  });
  const ended = exit.promise.then(errorCodeFor);

  let isListening = false;
  const listening = once(child, 'message').then(() => {
    isListening = true;
    options.onListening();
  });
  const startTimeout = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const ready = Promise.race([listening, ended]).then(() => {
    clearTimeout(startTimeout);
    return isListening;
  });

  return {
    /** Resolves to whether it listens; if not, the reason is in the log. */
    ready,
    /** Resolves when it has ended, to the error for waiting calls. */
    ended,
    /** Opens a connection on which the process has answered a greeting. @throws NotListeningError */
    connect: () => connectTo(socket),
    /** Lets it finish its background work; kills it if it is still starting. */
    async end(): Promise<void> {
      if (!isListening) child.kill('SIGKILL');
      else child.send('end', () => {});
      const stopTimeout = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(stopTimeout);
    },
  };
}

/**
 * Returns the error for the callers of a process that has ended.
 * @param code exit code; null if a signal ended the process: V8's when its heap is full, or the system's when it is out
 * of memory
 */
function errorCodeFor(code: number | null): FunctionErrorCode {
  if (code === EXIT_CODES.failed) return 'BOOT_ERROR';
  return code === null || code === EXIT_CODES.blocked || code === EXIT_CODES.memory || code > 128
    ? 'WORKER_RESOURCE_LIMIT'
    : 'WORKER_ERROR';
}
