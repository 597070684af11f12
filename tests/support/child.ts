import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Child<Ready> = {
  /** What it said when it was ready. */
  ready: Ready;
  pid: number;
  /** Everything it has written to stderr so far. */
  errors(): string;
  /** Everything it has written to stdout so far. */
  said(): string;
  /** Asks it to stop (SIGTERM) and waits; resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would (SIGKILL) and waits. */
  kill(): Promise<void>;
  /** Waits until it has ended by itself; resolves to its exit code. */
  ended(): Promise<number | null>;
  /** Leaves it alone, as a parent does that dies, and waits for its end; resolves to its exit code. */
  abandon(): Promise<number | null>;
};

/** A start that was refused: what the program said and its exit code. */
export class StartRefused extends Error {
  override name = 'StartRefused';
  readonly exitCode: number | null;
  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Every start compiles the same modules: Node keeps what came of it for the next. */
export const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'stoppress-compiled') };

/**
 * Starts one of the product's programs with exactly this environment, and these flags of Node's, and waits for its `{type: 'ready'}`.
 * @throws StartRefused when it ends instead
 */
export async function startChild<Ready>(
  main: string,
  environment: Record<string, string>,
  flags: readonly string[] = process.execArgv,
): Promise<Child<Ready>> {
  const child = fork(main, {
    env: { ...COMPILED, STOPPRESS_LOG: 'text', ...environment },
    execArgv: [...flags],
    silent: true,
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const closed = once(child, 'close') as Promise<[number | null]>;

  const message = await Promise.race([
    once(child, 'message').then(([said]) => said as Ready & { type: string }),
    closed.then(() => undefined),
  ]);
  if (message?.type !== 'ready') {
    const [exitCode] = await closed;
    throw new StartRefused(errors, exitCode);
  }
  return {
    ready: message,
    pid: child.pid as number,
    errors: () => errors,
    said: () => said,
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
      // Node emits no 'close' for a child whose channel was cut from this side.
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.disconnect();
      return (await exited)[0];
    },
  };
}
