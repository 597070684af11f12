import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { clearLine, cursorTo } from 'node:readline';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type BackendEndpoint, startBackendProcess } from '../server/backend-process.ts';
import type { BackendChoice } from '../server/settings.ts';

/** A wrong call of a command. The message is one sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Parses the arguments of this program. @throws UsageError with `usage` */
export function readArguments<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs({ args: process.argv.slice(2), ...config });
  } catch {
    throw new UsageError(usage);
  }
}

/** Resolves a path from the folder in which the command was called. npm runs scripts in the project's folder. */
export const calledPath = (path: string) => resolve(process.env.INIT_CWD ?? '', path);

export type ProgressLine = {
  show(done: number, of: number): void;
  /** Removes the line. */
  clear(): void;
};

/** A progress line. It writes to terminals only, so that logs stay short. */
export function progressLine(
  format: (done: number, of: number) => string,
  out = process.stdout,
): ProgressLine {
  const write = (text: string) => {
    if (!out.isTTY) return;
    cursorTo(out, 0);
    clearLine(out, 0);
    out.write(text);
  };
  return { show: (done, of) => write(format(done, of)), clear: () => write('') };
}

/** Timeout of the check whether a local backend is running, in milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;

type Newsroom = BackendEndpoint & {
  /** Stops a backend that was started for the command. */
  close(): Promise<void>;
};

/**
 * Connects a command to its newsroom: the hosted project, the backend that runs on the data folder, or a backend that
 * is started for the command.
 * @throws BackendFailed when it does not start
 */
export async function openNewsroom(choice: BackendChoice): Promise<Newsroom> {
  if (choice.kind === 'hosted') return { ...choice, close: async () => {} };
  const running = await findRunning(choice.data);
  if (running) return { ...running, close: async () => {} };
  const started = await startBackendProcess(choice);
  return { ...started, close: started.stop };
}

async function findRunning(data: string): Promise<BackendEndpoint | undefined> {
  const text = await readFile(join(data, 'backend.json'), 'utf8').catch(() => undefined);
  if (!text) return undefined;
  const address = JSON.parse(text) as BackendEndpoint;
  // A killed backend leaves its file behind, and another program may use its port now. Therefore the check sends only
  // the publishable key.
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const headers = { apikey: address.publishableKey };
  const answer = await fetch(`${address.url}/rest/v1/site?select=id`, { headers, signal }).catch(
    () => undefined,
  );
  return answer?.ok ? address : undefined;
}
