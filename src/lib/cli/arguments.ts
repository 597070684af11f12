import { resolve } from 'node:path';
import { clearLine, cursorTo } from 'node:readline';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A wrong call of a command. The message is one sentence. */
export class UsageError extends Error {
  override name = 'Misused';
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
