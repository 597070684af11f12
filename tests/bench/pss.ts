import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export type Share = { name: string; mb: number };

/** A process and all its descendants. */
export function treeOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const tree = [pid];
  // The loop also visits ids that it adds.
  for (const parent of tree) {
    tree.push(...parents.filter(([, of]) => of === parent).map(([child]) => child));
  }
  return tree;
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The parent follows the state, after the name, which may contain spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process has ended.
    return undefined;
  }
}

/** Proportional set size of a process in MB. NaN if unknown. */
export function pssOf(pid: number): Share {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return { name: nameOf(pid), mb: Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024 };
  } catch {
    return { name: String(pid), mb: Number.NaN };
  }
}

/** The program and its first argument that is a file. */
function nameOf(pid: number): string {
  const [program = '', ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  const file = rest.find((argument) => /\.\w+$/.test(argument)) ?? rest[0] ?? '';
  return `${basename(program)} ${file.split('/').slice(-3).join('/')}`.trim();
}
