import type { Database } from './database.types.ts';

export type TipState = Database['public']['Enums']['tip_state'];

/** What may be done to a tip: `takeOver` is to take it from somebody who has it. */
export type TipAct = 'take' | 'takeOver' | 'use' | 'decline' | 'spam' | 'handOver' | 'release' | 'reopen';

/** What of the queue is looked at: `open` is everything that waits for somebody, whoever has it. */
export const QUEUE_VIEWS = ['open', 'mine', 'held', 'used', 'declined', 'spam'] as const;

export type QueueView = (typeof QUEUE_VIEWS)[number];

/** What somebody told the newsroom while signed in, as they may know it: what was called spam is declined. */
export type OwnTip = {
  id: string;
  body: string;
  state: Exclude<TipState, 'spam'>;
  created_at: string;
  coverage: { slug: string; headline: string } | null;
  /** Where it stands, once that is published. */
  used: { slug: string; number: number } | null;
};
