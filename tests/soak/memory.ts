import { median } from '../bench/figures.ts';
import { pssOf, treeOf } from '../bench/pss.ts';

const LOOK_MS = 5_000;

export type Memory = {
  /** Total megabytes of all processes in each sample. */
  samples: number[];
  stop(): void;
};

/** Samples the memory of a process and its descendants. */
export function watchMemory(pid: number): Memory {
  const samples: number[] = [];
  const look = () => {
    const shares = treeOf(pid).map((one) => pssOf(one).mb);
    // Processes that ended during a sample are left out.
    samples.push(shares.filter(Number.isFinite).reduce((sum, mb) => sum + mb, 0));
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return { samples, stop: () => clearInterval(timer) };
}

/** Memory in the last third of the time, relative to the middle third. */
export function growthOf(samples: number[]): number {
  const third = Math.floor(samples.length / 3);
  return median(samples.slice(-third)) / median(samples.slice(-2 * third, -third));
}
