import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DomUtils, parseDocument } from 'htmlparser2';
import { COMPILE_CACHE } from './processes.ts';

type Ended = { code: number | string; out: string; errors: string };

/** Runs `npm run export` or `npm run import` in a folder, on the data that the environment names. */
export async function runCommand(
  name: 'export' | 'import',
  from: string,
  args: string[],
  environment: Record<string, string>,
): Promise<Ended> {
  const env = { ...COMPILE_CACHE, INIT_CWD: from, ...environment };
  const command = [resolve(`src/lib/cli/${name}.ts`), ...args];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { env });
    return { code: 0, out: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, errors: stderr };
  }
}

/** Reads all files of a folder, by relative path. */
export async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, Buffer>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(posix.relative(folder, path), await readFile(path));
  }
  return files;
}

/** Returns one line with path and digest for each file. Equal lines mean equal folders. */
export const digestsOf = (files: Map<string, Buffer>): string[] =>
  [...files].map(([file, bytes]) => `${file} ${createHash('sha256').update(bytes).digest('hex')}`).sort();

/** Returns all addresses in links and images of the pages, each with the page that contains it. */
export function addressesOf(files: Map<string, Buffer>): { file: string; address: string }[] {
  return [...files].filter(isPage).flatMap(([file, bytes]) => {
    const elements = DomUtils.findAll(() => true, parseDocument(bytes.toString()).children);
    const addresses = elements.flatMap(({ attribs: { href, src, srcset } }) => [
      ...(href === undefined ? [] : [href]),
      ...(src === undefined ? [] : [src]),
      ...(srcset?.split(', ').map((source) => source.split(' ')[0] ?? '') ?? []),
    ]);
    return addresses.map((address) => ({ file, address }));
  });
}

const isPage = ([file]: [string, Buffer]) => file.endsWith('.html');

/** Returns the addresses of files or fragments that are missing in the folder. */
export function findBrokenLinks(files: Map<string, Buffer>): string[] {
  const ids = new Map(
    [...files]
      .filter(isPage)
      .map(([file, bytes]) => [file, new Set(bytes.toString().match(/(?<=\sid=")[^"]+/g))] as const),
  );
  return addressesOf(files).flatMap(({ file, address }) => {
    if (/^(https?:|mailto:|geo:|data:image\/svg)/.test(address)) return [];
    const [target = '', place] = address.split('#');
    const targetPath = target ? posix.join(posix.dirname(file), target) : file;
    const isThere = /^[a-z0-9./-]*$/.test(target) && !target.startsWith('/') && files.has(targetPath);
    const isPlace = place === undefined || ids.get(targetPath)?.has(place);
    return isThere && isPlace ? [] : [`${file}: ${address}`];
  });
}
