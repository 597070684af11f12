import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

type WorkerOptions = {
  /** Module that runs in the process. It answers each message `{ id, content }` with `{ id, answer }`, in order. */
  program: string;
  /** Arguments of the program, and of Node. */
  args?: string[];
  nodeArgs?: string[];
  /** The process ends after this time without a request, to free its memory. In milliseconds. */
  idleMs: number;
  /** A request that takes longer ends the process. In milliseconds. */
  timeoutMs: number;
};

/** What a request results in: null if the process ended before it answered. */
type WorkerProcess<Content, Answer> = {
  request(content: Content): Promise<Answer | null>;
  stop(): void;
};

/**
 * Runs requests in a separate process without the keys and addresses of this one. It starts with the first request, and
 * again after it was ended.
 */
export function createWorkerProcess<Content, Answer>(options: WorkerOptions): WorkerProcess<Content, Answer> {
  const { program, args = [], nodeArgs = [], idleMs, timeoutMs } = options;
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let child: ChildProcess | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;

  function startProcess(): ChildProcess {
    const { PATH, TMPDIR } = process.env;
    const forked = fork(program, args, {
      env: { PATH, TMPDIR },
      execArgv: nodeArgs,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    forked.on('message', (message) => {
      const { id, answer } = message as { id: number; answer: Answer | null };
      settle(id, answer);
    });
    // A process that cannot be started emits an error but no exit.
    const end = () => {
      if (child !== forked) return;
      child = undefined;
      for (const id of [...waiting.keys()]) settle(id, null);
    };
    forked.on('error', end);
    forked.once('exit', end);
    return forked;
  }

  function settle(id: number, answer: Answer | null): void {
    waiting.get(id)?.(answer);
    waiting.delete(id);
    clearTimeout(timer);
    if (waiting.size > 0) timer = setTimeout(kill, timeoutMs);
    else if (child) timer = setTimeout(kill, idleMs).unref();
  }

  function kill(): void {
    child?.kill('SIGKILL');
  }

  return {
    request(content) {
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      const id = ++last;
      child ??= startProcess();
      waiting.set(id, resolve);
      if (waiting.size === 1) {
        clearTimeout(timer);
        timer = setTimeout(kill, timeoutMs);
      }
      child.send({ id, content }, (error) => error && settle(id, null));
      return promise;
    },
    stop() {
      clearTimeout(timer);
      kill();
    },
  };
}

/**
 * Runs this process as a worker: at low priority, the first to be killed when memory is short, one request at a time.
 * @param respond answers a request; must not reject
 * @param maxMemoryBytes above this size the process ends after its answer
 */
export function runWorker<Content, Answer>(
  respond: (content: Content) => Promise<Answer>,
  maxMemoryBytes: number,
): void {
  process.on('disconnect', () => process.exit(0));
  setPriority(10);
  try {
    // Exists on Linux only.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {}

  let previous: Promise<unknown> = Promise.resolve();
  process.on('message', (message) => {
    const { id, content } = message as { id: number; content: Content };
    previous = previous.then(async () => {
      process.send?.({ id, answer: await respond(content) });
      if (process.memoryUsage.rss() > maxMemoryBytes) process.exit(1);
    });
  });
}
