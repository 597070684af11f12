import { Worker } from 'node:worker_threads';
import { DatabaseFault } from './errors.ts';

/** Start data of a new thread. */
export type ThreadStart = {
  folder: string;
  /** Path of the file that reserves disk space (reserve.ts). */
  reserve: string;
  /** PGlite's WebAssembly module, if an earlier thread compiled it. */
  wasmModule: WebAssembly.Module | undefined;
};

/** A request to the thread. With `begin`, the thread begins a transaction first. */
export type ThreadRequest = { begin?: boolean } & (
  | { kind: 'query'; statement: string; parameters: readonly unknown[]; maxBytes: number | undefined }
  | { kind: 'exec'; script: string }
  | { kind: 'end'; command: 'COMMIT' | 'ROLLBACK' }
  | { kind: 'copyOut'; query: string }
  | { kind: 'copyIn'; target: string; rows: Uint8Array }
  | { kind: 'listen' | 'unlisten'; channel: string }
  /** Rolls back a transaction that a script left open, and resets the role. */
  | { kind: 'reset' }
  | { kind: 'close' }
);

export type ErrorReport = {
  name: string;
  message: string;
  stack?: string;
  code?: string;
  detail?: string;
  hint?: string;
  constraint?: string;
  /** True if PGlite is unusable after the error. */
  isFatal?: boolean;
};

export type ThreadReply = { result: unknown } | { error: ErrorReport };

/** Messages of the thread that are not replies to a request. */
export type ThreadEvent =
  | { event: 'ready'; wasmModule: WebAssembly.Module | undefined }
  | { event: 'notification'; channel: string; payload: string }
  | { event: 'warning'; message: string }
  | { event: 'disk_full' };

/** Exit codes of a thread that ends itself because a necessary write of PostgreSQL did not reach the disk. */
export const DISK_EXIT_CODES = { syncFailed: 71, reserveUsedUp: 72 };

/** The thread ended before it answered. */
export class ThreadEndedError extends Error {
  override name = 'ThreadEndedError';
  readonly exitCode: number | undefined;
  constructor(exitCode?: number) {
    super(`The thread of the database ended (${exitCode ?? 'terminated'}).`);
    this.exitCode = exitCode;
  }
}

/** PGlite met an error that leaves it unusable. */
export class ThreadFailedError extends Error {
  override name = 'ThreadFailedError';
}

/** Program of the thread. Tests replace it. */
export const threadProgram = { url: new URL('pglite-worker.ts', import.meta.url) };

/** Timeout for the processor time of a thread, in ms. A thread reports it even while it computes. */
const CPU_USAGE_TIMEOUT_MS = 500;

/** Memory for young JavaScript objects: the same as in the backend's main thread. */
const MAX_YOUNG_GENERATION_MB = 12;

let compiled: WebAssembly.Module | undefined;

type Handlers = {
  onEvent(event: Exclude<ThreadEvent, { event: 'ready' }>): void;
  /** Runs when the thread ends unexpectedly. */
  onEnd(exitCode: number): void;
};

/**
 * A thread that runs PGlite on one folder.
 *
 * PGlite is synchronous and cannot be interrupted from inside, but its thread can be terminated at any moment. For its
 * files this is the same as `kill -9`: each write has either reached the operating system or was never made. Node
 * closes the files of a terminated thread and releases its memory.
 */
export class PgliteThread {
  readonly #worker: Worker;
  readonly #handlers: Handlers;
  readonly #started = Promise.withResolvers<void>();
  #pending: PromiseWithResolvers<unknown> | undefined;
  #isTerminated = false;

  /** Opens the database in a folder, and creates it if there is none. @throws if PGlite cannot open it */
  static async start(folder: string, handlers: Handlers): Promise<PgliteThread> {
    const thread = new PgliteThread({ folder, reserve: `${folder}.room`, wasmModule: compiled }, handlers);
    await thread.#started.promise;
    return thread;
  }

  private constructor(start: ThreadStart, handlers: Handlers) {
    this.#handlers = handlers;
    this.#worker = new Worker(threadProgram.url, {
      workerData: start,
      name: 'database',
      resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB },
    });
    this.#worker.on('message', (message: ThreadReply | ThreadEvent) => this.#receive(message));
    this.#worker.on('error', (error) => this.#started.reject(error));
    this.#worker.on('exit', (code) => this.#onExit(code));
  }

  /** Sends a request and waits for its reply. The caller must send one request at a time. */
  async call<Result>(request: ThreadRequest): Promise<Result> {
    if (this.#isTerminated) throw new ThreadEndedError();
    const pending = Promise.withResolvers<unknown>();
    this.#worker.postMessage(request);
    this.#pending = pending;
    // Keeps the process running until the reply arrives.
    this.#worker.ref();
    return pending.promise as Promise<Result>;
  }

  /** Returns the processor time of the thread in ms, or undefined while the thread waits for the disk. */
  async processorMs(): Promise<number | undefined> {
    const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, CPU_USAGE_TIMEOUT_MS, undefined));
    const usage = await Promise.race([this.#worker.cpuUsage().catch(() => undefined), timeout]);
    return usage && (usage.user + usage.system) / 1000;
  }

  /** Ends the thread, even while it computes. A pending request rejects with ThreadEndedError. */
  async terminate(): Promise<void> {
    this.#isTerminated = true;
    await this.#worker.terminate();
  }

  #receive(message: ThreadReply | ThreadEvent): void {
    if ('event' in message) {
      if (message.event === 'ready') this.#onReady(message.wasmModule);
      else this.#handlers.onEvent(message);
      return;
    }
    const pending = this.#pending;
    this.#pending = undefined;
    this.#worker.unref();
    if ('error' in message) pending?.reject(errorOf(message.error));
    else pending?.resolve(message.result);
  }

  #onReady(module: WebAssembly.Module | undefined): void {
    compiled ??= module;
    this.#worker.unref();
    this.#started.resolve();
  }

  #onExit(code: number): void {
    const error = new ThreadEndedError(this.#isTerminated ? undefined : code);
    this.#pending?.reject(error);
    this.#started.reject(error);
    if (!this.#isTerminated) this.#handlers.onEnd(code);
    this.#isTerminated = true;
  }
}

function errorOf({ isFatal, code, stack, ...report }: ErrorReport): Error {
  if (isFatal) return Object.assign(new ThreadFailedError(report.message), { stack });
  if (report.name === 'DatabaseFault') {
    return Object.assign(new DatabaseFault({ ...report, code: code ?? '' }), { stack });
  }
  return Object.assign(new Error(report.message), { name: report.name, stack, ...(code && { code }) });
}
