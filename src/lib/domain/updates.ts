import type { Body } from './body/blocks.ts';
import type { Enums, Tables } from './database.types.ts';
import type { DeskPhoto, ReaderPhoto } from './photos.ts';

/** A person named as a writer of an update. */
export type Byline = { handle: string; display_name: string };

/** Public note of a correction or clarification. */
export type UpdateNote = { version: number; kind: 'clarification' | 'correction'; note: string; at: string };

/** A published or withdrawn update with all fields that readers may see. A withdrawn update has no content. */
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
  /** Photos of the body that readers may see, in no particular order. */
  photos: ReaderPhoto[];
};

/** A key event as lists show it. */
export type KeyEvent = { number: number; line: string; published_at: string };

export type UpdateState = Enums<'update_state'>;
export type Urgency = Enums<'update_urgency'>;
export type Verification = Enums<'update_verification'>;
export type DeskByline = { id: string; handle: string; display_name: string };

/** An update as the desk sees it, in any state, with the columns for staff. */
export type DeskUpdate = Omit<Tables<'desk_updates'>, 'body' | 'bylines' | 'photos'> & {
  body: Body;
  bylines: DeskByline[];
  /** Photos of the body, in its order. */
  photos: DeskPhoto[];
};

/**
 * Fields of an update that show whether it has changed. Submitting, spiking and a failed scheduled publication do not
 * increase the version.
 */
export type UpdateHead = Pick<DeskUpdate, 'id' | 'version' | 'state' | 'seq' | 'schedule_error_code'>;

/** Complete content of an update, as the writing functions take it. */
export type UpdateContent = ReturnType<typeof updateContent>;

/** Returns the content of an update. */
export function updateContent(update: DeskUpdate) {
  const { headline, body, key_event, urgency, verification } = update;
  const { attribution, desk_note, dateline, occurred_at, bylines } = update;
  const text = { headline, body, key_event, urgency, verification };
  return { ...text, attribution, desk_note, dateline, occurred_at, bylines: bylines.map(({ id }) => id) };
}

export type UpdateTrait = 'mine' | 'key' | 'corrected' | 'photos';

/** Filter of a desk's list of updates. `work` is everything except spiked updates; traits apply to the same set. */
export type UpdateFilter = 'work' | UpdateState | UpdateTrait;

/** Purpose of a command. `auto` is an automatic save of a draft. */
export type CommandKind =
  | 'auto'
  | 'save'
  | 'submit'
  | 'schedule'
  | 'publish'
  | 'change'
  | 'withdraw'
  | 'spike'
  | 'unschedule'
  | 'pin'
  | 'summary';
