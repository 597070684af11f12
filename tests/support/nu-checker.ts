import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The Nu HTML checker, as a program for Java; whether this machine has one is for `hasJava` to say. */
const JAR: string = createRequire(import.meta.url)('vnu-jar').toString();

const java = (args: string[]) =>
  new Promise<{ ran: boolean; said: string }>((resolve) => {
    execFile('java', args, { maxBuffer: 64 * 1024 * 1024 }, (error, _out, said) =>
      resolve({ ran: (error as NodeJS.ErrnoException | null)?.code !== 'ENOENT', said }),
    );
  });

export const hasJava = async (): Promise<boolean> => (await java(['-version'])).ran;

/** Newer than the checker: CSS Display Module Level 4, and CSS Form Control Styling Level 1. */
const UNKNOWN_TO_IT = /Property “(reading-flow|field-sizing)” doesn't exist/;

/** What the Nu checker calls an error in these pages: `path: what`. */
export async function nuErrors(pages: { path: string; text: string }[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-nu-'));
  try {
    await Promise.all(pages.map(({ text }, n) => writeFile(join(folder, `${n}.html`), text)));
    const { said } = await java(['-jar', JAR, '--format', 'json', '--errors-only', folder]);
    const { messages } = JSON.parse(said) as {
      messages: { url: string; message: string; extract?: string }[];
    };
    const meant = messages.filter(({ message }) => !UNKNOWN_TO_IT.test(message));
    return meant.map(({ url, message, extract }) => {
      const n = Number(/(\d+)\.html$/.exec(url)?.[1]);
      return `${pages[n]?.path}: ${message} (${extract ?? ''})`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
