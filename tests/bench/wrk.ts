import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** As many as keep a server busy from one core. */
export const CONNECTIONS = 32;

/** What a browser of today takes. */
export const HEADERS = { 'accept-encoding': 'gzip, deflate, br' };

const run = promisify(execFile);

/** Is there anything to measure with? A load made by Node itself would be slower than what it measures. */
export async function findWrk(): Promise<boolean> {
  return run('wrk', ['-v']).then(
    () => true,
    // It tells its version with an exit code of 1.
    (error) => error.code !== 'ENOENT',
  );
}

/**
 * Requests a second that a server answers to one thread of wrk.
 * @throws Error when any answer was not the one that is measured
 */
export async function measure(url: string, seconds: number): Promise<number> {
  const headers = Object.entries(HEADERS).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headers, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} did not answer as it should.\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
