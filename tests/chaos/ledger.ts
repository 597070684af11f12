import type { Saved } from '../support/newsroom.ts';

/** Everything that was acknowledged. */
export type Ledger = {
  /** Results of commands by idempotency key. */
  ops: Map<string, unknown>;
  /** Headlines of updates by acknowledged version. */
  versions: { id: string; version: number; headline: string }[];
  /** Public changes with their acknowledged seq. */
  changes: Saved[];
  /** Numbers of published updates. A number never changes. */
  numbers: Map<string, number>;
  withdrawn: Set<string>;
  /** Ids of scheduled updates. */
  scheduled: Set<string>;
  /** Ids of tips and photos that arrived, and addresses of sign-ups. */
  tips: Set<string>;
  photos: Set<string>;
  signUps: Set<string>;
  /** Number of role changes by person. */
  roles: Map<string, number>;
  /** The highest acknowledged seq of the coverage. */
  seq: number;
  /** Commands whose repetition returned another result. */
  differed: string[];
  /** Refusals that must not occur. */
  refused: string[];
  /** Number of acknowledged writes, and the start of the last one. */
  acknowledged: number;
};

export const newLedger = (): Ledger => ({
  ops: new Map(),
  versions: [],
  changes: [],
  numbers: new Map(),
  withdrawn: new Set(),
  scheduled: new Set(),
  tips: new Set(),
  photos: new Set(),
  signUps: new Set(),
  roles: new Map(),
  seq: 0,
  differed: [],
  refused: [],
  acknowledged: 0,
});
