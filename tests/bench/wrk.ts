import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Enough to keep a server busy from one core. */
export const CONNECTIONS = 32;

/** Encodings of current browsers. */
export const HEADERS = { 'accept-encoding': 'gzip, deflate, br' };

const run = promisify(execFile);

/** Whether wrk is installed. Load from Node would be slower than the server. */
export async function findWrk(): Promise<boolean> {
  return run('wrk', ['-v']).then(
    () => true,
    // wrk prints its version with exit code 1.
    (error) => error.code !== 'ENOENT',
  );
}

/** Requests per second for one thread of wrk. @throws if any response has another status */
export async function measure(url: string, seconds: number): Promise<number> {
  const headers = Object.entries(HEADERS).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headers, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} did not answer as it should.\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
