import type { Body } from '../body/blocks.ts';
import type { DeskPhoto } from '../photos/photo.ts';
import type { Enums, Tables } from '../supabase/database.types.ts';

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
