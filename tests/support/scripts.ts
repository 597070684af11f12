import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

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
