import { readFileSync } from 'node:fs';
import { treeOf } from '../bench/pss.ts';

/** A process of the site, and what it is. */
export type Member = { pid: number; name: string };

/** What a command line gives away, the first that fits. */
const NAMES: [RegExp, string][] = [
  [/embedded\/main\.ts/, 'backend'],
  [/site-(process|program)|server\/site/, 'site'],
  [/develop-program/, 'darkroom'],
  [/draw|card/, 'cards'],
  [/deno/, 'function'],
];

/** The process that was started and all that it has started, each by what it is; the first is the one that holds the port. */
export function membersOf(top: number): Member[] {
  const [, ...rest] = treeOf(top);
  return [
    { pid: top, name: 'first' },
    ...rest.flatMap((pid) => {
      const line = commandLine(pid);
      return line === undefined ? [] : [{ pid, name: nameOf(line) }];
    }),
  ];
}

const nameOf = (line: string) => NAMES.find(([form]) => form.test(line))?.[1] ?? 'child';

function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ') || undefined;
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
