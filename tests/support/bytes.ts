import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** Returns the bytes of a response on the socket, head and body. The request accepts a browser's encodings. */
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

/** Returns the URLs of the scripts that a page loads: islands, their renderer and preloads. */
export const scriptsOf = (html: string): string[] => [
  ...new Set([...html.matchAll(/\/_astro\/[\w.~-]+\.js/g)].map(([address]) => address)),
];

/**
 * Returns the bytes of built scripts and all their static imports, compressed with Brotli.
 * @param addresses URLs of the page's scripts, as /_astro/NAME.js
 */
export async function bytesOfScripts(addresses: string[]): Promise<number> {
  const met = new Set(addresses);
  let bytes = 0;
  // The loop also visits addresses that it adds.
  for (const address of met) {
    const script = await readFile(join(BUILT, address));
    bytes += brotliCompressSync(script).length;
    for (const [, name = ''] of String(script).matchAll(STATIC)) met.add(join('/_astro', name));
  }
  return bytes;
}
