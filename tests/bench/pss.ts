import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export type Share = { name: string; mb: number };

/** A process and all that it has started, and they. */
export function treeOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const tree = [pid];
  // Those who are found have their turn too.
  for (const parent of tree) {
    tree.push(...parents.filter(([, of]) => of === parent).map(([child]) => child));
  }
  return tree;
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which may hold spaces: the state, and then the parent.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** What a process takes of the machine's memory: of what several share, its part (PSS). NaN where nobody tells. */
export function pssOf(pid: number): Share {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return { name: nameOf(pid), mb: Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024 };
  } catch {
    return { name: String(pid), mb: Number.NaN };
  }
}

/** The program and what it runs: its first argument that is a file. */
function nameOf(pid: number): string {
  const [program = '', ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  const file = rest.find((argument) => /\.\w+$/.test(argument)) ?? rest[0] ?? '';
  return `${basename(program)} ${file.split('/').slice(-3).join('/')}`.trim();
}
