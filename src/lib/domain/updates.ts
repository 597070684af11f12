import type { Body } from './body/blocks.ts';
import type { Enums, Tables } from './database.types.ts';
import type { DeskPhoto, ReaderPhoto } from './photos.ts';

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

export type UpdateState = Enums<'update_state'>;
export type Urgency = Enums<'update_urgency'>;
export type Verification = Enums<'update_verification'>;
export type DeskByline = { id: string; handle: string; display_name: string };

/** An update as the desk sees it, in any state, with the desk's own columns. */
export type DeskUpdate = Omit<Tables<'desk_updates'>, 'body' | 'bylines' | 'photos'> & {
  body: Body;
  bylines: DeskByline[];
  /** The photos of the body, in its order. */
  photos: DeskPhoto[];
};

/**
 * As much of an update as tells whether it has changed. Submitting and spiking leave the version alone, and so does
 * not going out at its time.
 */
export type UpdateHead = Pick<DeskUpdate, 'id' | 'version' | 'state' | 'seq' | 'schedule_refusal'>;

/** What the functions that write an update take: the whole of it, every time. */
export type UpdateContent = Pick<
  DeskUpdate,
  | 'headline'
  | 'body'
  | 'key_event'
  | 'urgency'
  | 'verification'
  | 'attribution'
  | 'desk_note'
  | 'dateline'
  | 'occurred_at'
> & { bylines: string[] };

/** The content of an update as it is. */
export function contentOf(update: DeskUpdate): UpdateContent {
  const { headline, body, key_event, urgency, verification, attribution, desk_note, dateline, occurred_at } =
    update;
  return {
    headline,
    body,
    key_event,
    urgency,
    verification,
    attribution,
    desk_note,
    dateline,
    occurred_at,
    bylines: update.bylines.map((person) => person.id),
  };
}

export type UpdateTrait = 'mine' | 'key' | 'corrected' | 'photos';

/**
 * Which updates of a coverage are looked at: `work` is everything that was not spiked; of what a trait leaves in, too.
 */
export type UpdateFilter = 'work' | UpdateState | UpdateTrait;
