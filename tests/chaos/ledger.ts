import type { Saved } from '../support/newsroom.ts';

/** What a person was told that was done: of each, once. */
export type Ledger = {
  /** Every press with an idempotency key that was answered, and its answer. */
  ops: Map<string, unknown>;
  /** Words of updates, by the version that an answer gave them. */
  versions: { id: string; version: number; headline: string }[];
  /** Changes that readers may see: the seq that an answer gave them. */
  changes: Saved[];
  /** Updates that were published, by their number: the number never changes. */
  numbers: Map<string, number>;
  withdrawn: Set<string>;
  /** Updates that go out by themselves. */
  scheduled: Set<string>;
  /** Tips and photos that arrived, people who signed up. */
  tips: Set<string>;
  photos: Set<string>;
  signUps: Set<string>;
  /** How often somebody's role was changed. */
  roles: Map<string, number>;
  /** The newest seq of the coverage that anybody was told. */
  seq: number;
  /** How often a press was made twice and answered differently. */
  differed: string[];
  /** Answers that no press of these people should get. */
  refused: string[];
  /** Answers that acknowledged a write, and when the last came to one that was asked for after a moment. */
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
