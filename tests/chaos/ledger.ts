import type { SavedUpdate } from '../support/newsroom.ts';

/** Acknowledged results, each recorded once. */
export type Ledger = {
  /** Results of commands by idempotency key. */
  commandResults: Map<string, unknown>;
  /** Headlines of saved versions. */
  versions: { id: string; version: number; headline: string }[];
  /** Public changes with their seq. */
  changes: SavedUpdate[];
  /** Numbers of published updates, which never change. */
  numbers: Map<string, number>;
  withdrawn: Set<string>;
  /** Updates that the database publishes at their time. */
  scheduled: Set<string>;
  /** Received tips, uploaded photos and signed-up addresses. */
  tips: Set<string>;
  photos: Set<string>;
  signUps: Set<string>;
  /** Number of role changes by person. */
  roles: Map<string, number>;
  /** Newest acknowledged seq of the coverage. */
  seq: number;
  /** Repeated commands whose results differed. */
  differingResults: string[];
  /** Unexpected refusals. */
  refused: string[];
  /** Number of acknowledged writes. */
  acknowledged: number;
};

export const newLedger = (): Ledger => ({
  commandResults: new Map(),
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
  differingResults: [],
  refused: [],
  acknowledged: 0,
});
