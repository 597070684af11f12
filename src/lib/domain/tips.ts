import type { Database } from './database.types.ts';
import type { PhotoState, Rendition } from './photos.ts';

export type TipState = Database['public']['Enums']['tip_state'];

/** Actions on a tip. `takeOver` takes it from another moderator. */
export type TipActionName =
  | 'take'
  | 'takeOver'
  | 'use'
  | 'decline'
  | 'spam'
  | 'handOver'
  | 'release'
  | 'reopen';

/** Filters of the tip queue. `open` is every tip that waits to be handled. */
export const QUEUE_VIEWS = ['open', 'mine', 'held', 'used', 'declined', 'spam'] as const;

export type QueueView = (typeof QUEUE_VIEWS)[number];

/** A tip as its signed-in sender sees it. Spam appears as declined. */
export type OwnTip = {
  id: string;
  body: string;
  state: Exclude<TipState, 'spam'>;
  created_at: string;
  coverage: { slug: string; headline: string } | null;
  /** The published update that uses the tip. */
  used_in: { slug: string; number: number } | null;
  photo: TipPhoto | null;
};

/** The photo of a tip as its sender sees it. Its renditions are in ascending order of width. */
export type TipPhoto = { id: string; state: PhotoState; renditions: Rendition[] };
