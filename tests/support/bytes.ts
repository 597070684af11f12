import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** The bytes of an answer as they come out of the socket, head and body, asked for as a browser does. */
export async function bytesOf(
  url: string,
  headers: Record<string, string> = {},
  status = 200,
): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  try {
    const request = get(url, {
      agent,
      headers: { 'accept-encoding': 'gzip, deflate, br, zstd', ...headers },
    });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    if (answer.statusCode !== status) throw new Error(`${url}: ${answer.statusCode}`);
    const { socket } = answer;
    await once(answer.resume(), 'end');
    return socket.bytesRead;
  } finally {
    agent.destroy();
  }
}

const BUILT = resolve('dist/client');

const STATIC = /(?:\bfrom|\bimport)\s*"(\.\/[^"]+\.js)"/g;

/** The addresses of scripts that a page names: its islands', what draws them, what it loads beforehand. */
export const scriptsOf = (html: string): string[] => [
  ...new Set([...html.matchAll(/\/_astro\/[\w.~-]+\.js/g)].map(([address]) => address)),
];

/**
 * What these built scripts come to with all that they import at once, in bytes as a browser gets them (brotli).
 * @param addresses of the page, as /_astro/NAME.js
 */
export async function bytesOfScripts(addresses: string[]): Promise<number> {
  const met = new Set(addresses);
  let bytes = 0;
  // What is added on the way has its turn too.
  for (const address of met) {
    const script = await readFile(join(BUILT, address));
    bytes += brotliCompressSync(script).length;
    for (const [, name = ''] of String(script).matchAll(STATIC)) met.add(join('/_astro', name));
  }
  return bytes;
}
