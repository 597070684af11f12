import { resolve } from 'node:path';
import { clearLine, cursorTo } from 'node:readline';

/** A call that cannot be understood or carried out; the message is one sentence. */
export class Misused extends Error {
  override name = 'Misused';
}

/** A path as it was meant where the command was called: npm runs a script in the project's folder. */
export const calledPath = (path: string) => resolve(process.env.INIT_CWD ?? '', path);

export type ProgressLine = {
  show(done: number, of: number): void;
  /** Takes the line away again. */
  clear(): void;
};

/** One line that says how far a command is, on a terminal only: a log should not fill with it. */
export function progressLine(
  words: (done: number, of: number) => string,
  out = process.stdout,
): ProgressLine {
  const write = (text: string) => {
    if (!out.isTTY) return;
    cursorTo(out, 0);
    clearLine(out, 0);
    out.write(text);
  };
  return { show: (done, of) => write(words(done, of)), clear: () => write('') };
}
