import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const MAIN = resolve('supabase/embedded/main.ts');

export type BackendProcess = {
  url: string;
  publishableKey: string;
  secretKey: string;
  pid: number;
  /** Everything it has written to stderr so far. */
  errors(): string;
  /** Asks it to stop (SIGTERM) and waits; resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would (SIGKILL) and waits. */
  kill(): Promise<void>;
  /** Leaves it alone, as a parent does that dies, and waits for its end; resolves to its exit code. */
  abandon(): Promise<number | null>;
};

/** A start that was refused: what the backend said and its exit code. */
export class BackendRefused extends Error {
  override name = 'BackendRefused';
  readonly exitCode: number | null;
  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

type Ready = { type: 'ready'; url: string; publishableKey: string; secretKey: string };

/**
 * Starts the real backend with exactly this environment and waits until it answers.
 * @throws BackendRefused when it ends instead
 */
export async function startProcess(environment: Record<string, string>): Promise<BackendProcess> {
  const child = fork(MAIN, { env: environment, silent: true });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  // A pipe that nobody reads fills up and stops the writer.
  child.stdout?.resume();
  const closed = once(child, 'close') as Promise<[number | null]>;

  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as Ready | { type: 'failed' }),
    closed.then(() => ({ type: 'failed' }) as const),
  ]);
  if (ready.type === 'failed') {
    const [exitCode] = await closed;
    throw new BackendRefused(errors, exitCode);
  }
  return {
    url: ready.url,
    publishableKey: ready.publishableKey,
    secretKey: ready.secretKey,
    pid: child.pid as number,
    errors: () => errors,
    async stop() {
      child.kill('SIGTERM');
      return (await closed)[0];
    },
    async kill() {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await closed;
    },
    async abandon() {
      // Node emits no 'close' for a child whose channel was cut from this side.
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.disconnect();
      return (await exited)[0];
    },
  };
}
