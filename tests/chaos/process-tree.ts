import { readFileSync } from 'node:fs';
import { treeOf } from '../bench/pss.ts';

/** A process of the site with its name. */
export type Member = { pid: number; name: string };

/** Names by command line. The first match counts. */
const NAMES: [RegExp, string][] = [
  [/embedded\/main\.ts/, 'backend'],
  [/site-(process|program)|server\/site/, 'site'],
  [/develop-program/, 'darkroom'],
  [/draw|card/, 'cards'],
  [/deno/, 'function'],
];

/** The started process and its descendants, with names. The first one holds the port. */
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
    // The process has ended.
    return undefined;
  }
}
