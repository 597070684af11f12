import { readFileSync } from 'node:fs';
import { treeOf } from '../bench/pss.ts';

/** A process of the site and its name. */
export type SiteProcess = { pid: number; name: string };

/** Names by command line. The first match wins. */
const NAMES: [RegExp, string][] = [
  [/embedded-supabase\/src\/main\.ts/, 'backend'],
  [/server\/site-process\.ts/, 'site'],
  [/image-processing\/image-worker\.ts/, 'image worker'],
  [/og-image\/process\.ts/, 'image renderer'],
  [/deno/, 'function'],
];

/** Returns a process and all its descendants with their names. `root` holds the port and is named `first`. */
export function processesOf(root: number): SiteProcess[] {
  const [, ...rest] = treeOf(root);
  return [
    { pid: root, name: 'first' },
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
    // The process has ended meanwhile.
    return undefined;
  }
}
