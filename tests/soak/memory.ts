import { median } from '../bench/figures.ts';
import { pssOf, treeOf } from '../bench/pss.ts';

const LOOK_MS = 5_000;

export type Memory = {
  /** Megabytes of all processes together at each look. */
  looks: number[];
  stop(): void;
};

/** Watches what a process and all that it has started take of the machine's memory. */
export function watchMemory(pid: number): Memory {
  const looks: number[] = [];
  const look = () => {
    const shares = treeOf(pid).map((one) => pssOf(one).mb);
    // Who has ended while it was looked at is not there any more.
    looks.push(shares.filter(Number.isFinite).reduce((sum, mb) => sum + mb, 0));
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return { looks, stop: () => clearInterval(timer) };
}

/** How much more it was in the last third of the time than in the one before: 1 is flat. */
export function growthOf(looks: number[]): number {
  const third = Math.floor(looks.length / 3);
  return median(looks.slice(-third)) / median(looks.slice(-2 * third, -third));
}
