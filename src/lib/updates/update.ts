import type { Body } from '../body/blocks.ts';
import type { ReaderPhoto } from '../photos/photo.ts';
import type { Enums } from '../supabase/database.types.ts';

/** A person under an update. */
export type Byline = { handle: string; display_name: string };

/** What readers are told about a change to a published update. */
export type UpdateNote = { version: number; kind: 'clarification' | 'correction'; note: string; at: string };

/** A published or withdrawn update, with all that a reader may see of it. A withdrawn one has none of its words. */
export type ReaderUpdate = {
  id: string;
  number: number;
  state: 'published' | 'withdrawn';
  headline: string | null;
  body: Body;
  key_event: boolean;
  urgency: Enums<'update_urgency'>;
  verification: Enums<'update_verification'>;
  attribution: string | null;
  dateline: string | null;
  occurred_at: string | null;
  published_at: string;
  revised_at: string | null;
  corrected_at: string | null;
  withdrawn_at: string | null;
  withdrawn_reason: string | null;
  version: number;
  seq: number;
  bylines: Byline[];
  /** Corrections and clarifications, oldest first. */
  notes: UpdateNote[];
  /** Those of the body's photos that readers may see, in no order. */
  photos: ReaderPhoto[];
};

/** A key event as a list names it. */
export type KeyEvent = { number: number; line: string; published_at: string };
