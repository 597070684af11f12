import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../supabase/database.types.ts';
import { FOLDER } from '../text/commands.ts';

/* Files of a folder that anybody may have made or mended: read as they stand, or refused by what is wrong. */

export type Thing = { [key: string]: Json | undefined };

/** Why a folder is not brought in: a sentence for each mistake. */
export class BadFolder extends Error {
  override name = 'BadFolder';
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/** A line holds one update with all that it ever said: 100 versions of the longest body fit. */
const LONGEST_LINE = 16 * 1024 * 1024;
const BOM = '\uFEFF';

/**
 * The lines of a file, each ended by a line feed.
 * @throws BadFolder at what is no such line
 */
export async function* linesOf(folder: string, name: string): AsyncGenerator<string> {
  await needFile(folder, name);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new BadFolder([FOLDER.notUtf8(name)]);
    }
  };
  let rest = '';
  let line = 1;
  for await (const chunk of createReadStream(join(folder, name))) {
    rest += decode(chunk as Buffer);
    if (line === 1 && rest.startsWith(BOM)) throw new BadFolder([FOLDER.mark(name)]);
    let end = rest.indexOf('\n');
    let from = 0;
    for (; end >= 0; end = rest.indexOf('\n', from)) {
      yield rest.slice(from, end);
      from = end + 1;
      line += 1;
    }
    rest = rest.slice(from);
    if (rest.length > LONGEST_LINE) throw new BadFolder([FOLDER.longLine(name, line)]);
  }
  if (rest + decode() !== '') throw new BadFolder([FOLDER.brokenOff(name, line)]);
}

/** The whole text of a small file. @throws BadFolder */
export async function textOf(folder: string, name: string): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for await (const line of linesOf(folder, name)) {
    lines.push(line);
    length += line.length;
    if (length > LONGEST_LINE) throw new BadFolder([FOLDER.longLine(name, lines.length)]);
  }
  return lines.join('\n');
}

/** An object as JSON has it, with exactly these fields. @returns a sentence where it is none */
export function thingIn(text: string, keys: readonly string[]): Thing | string {
  // Some programs end lines so; it is no white space that we write.
  if (text.endsWith('\r')) return FOLDER.carriageReturn;
  try {
    return thingOf(JSON.parse(text), keys);
  } catch (error) {
    return FOLDER.notJson((error as Error).message.replace(/\s+/g, ' ').slice(0, 120));
  }
}

export function thingOf(value: Json | undefined, keys: readonly string[]): Thing | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return FOLDER.notObject;
  const missing = keys.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return FOLDER.missingField(missing);
  const stray = Object.keys(value).find((key) => !keys.includes(key));
  return stray === undefined ? value : FOLDER.strayField(stray.slice(0, 40));
}

/** A file, and neither a way to somewhere else nor in a folder that is one. */
async function needFile(folder: string, name: string): Promise<void> {
  const within = await lstat(join(folder, name, '..')).catch(() => null);
  const found = await lstat(join(folder, name)).catch(() => null);
  if (!found || !within) throw new BadFolder([FOLDER.missing(name)]);
  if (!found.isFile() || !within.isDirectory()) throw new BadFolder([FOLDER.noFile(name)]);
}
