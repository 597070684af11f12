import type { Refusal } from '../http/errors.ts';

/**
 * What words are written over: the version of the update that was seen (null: the desk has none), or, for as long as
 * it is not answered, the press that makes that version.
 */
export type Base = { version: number | null; press: string | null };

/** Words that are being written, as they are kept on this device. */
export type Draft<Form = unknown, Before = unknown> = {
  /** Where it is kept: see `draftKey`. */
  key: string;
  person: string;
  coverage: string;
  /** `new` for the composer, the update's id for one opened again, or what panel it is. */
  place: string;
  /** The update's id. */
  id: string;
  base: Base;
  form: Form;
  /** The update as it was when the writing began. */
  before: Before | null;
  /** Words of the same update that a choice between two versions has put aside. */
  aside?: Form | null;
  /** The desk has these very words. */
  isSaved: boolean;
  /** Why the desk did not take in what was typed, until it is written over another version. */
  refusal?: Refusal | null;
  /** Another one at each change, so that a tab sees that another has written. */
  stamp: string;
  /** When it was changed: milliseconds. */
  at: number;
};

/** One call of a press. Its op never changes: however often it is tried, it counts once. */
export type Call = {
  op: string;
  action: string;
  args: Readonly<Record<string, unknown>>;
  /** Takes the version that the words are written over, as it is known when the call is made. */
  isVersioned: boolean;
  isDone: boolean;
};

/** What a press is for. `auto` keeps a draft at the desk without anybody pressing. */
export type PressKind =
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

/** How an update stood when the press was answered. */
export type Answered = { at: number; version: number | null; number: number | null; state: string | null };

/** Something that was pressed, as it is kept on this device until it was answered for good and shown. */
export type Press<Work = unknown> = {
  id: string;
  /** The order in which things were pressed on this device. */
  nr: number;
  person: string;
  coverage: string;
  slug: string;
  /** What it changes: the update's id, or the coverage's. Presses of one subject never overtake each other. */
  subject: string;
  kind: PressKind;
  base: Base;
  /** The draft, as it was, that the desk is told of without anybody pressing. */
  stamp: string | null;
  calls: Call[];
  /** How often it was tried. What was tried may have happened: it is not changed or taken back any more. */
  attempts: number;
  /** How often the newsroom failed over it. What an older page has kept has none. */
  faults?: number;
  /** The first words, to tell it by. */
  title: string;
  /** What an editor needs to have these words again. */
  work: Work | null;
  /** `held`: taken back before it was tried, its words are to be written on. */
  state: 'waiting' | 'held' | 'refused' | 'done';
  refusal: Refusal | null;
  answered: Answered | null;
};

/** A press as it is made: the rest is the outbox's. */
export type NewPress<Work = unknown> = Pick<
  Press<Work>,
  'id' | 'person' | 'coverage' | 'slug' | 'subject' | 'kind' | 'title' | 'work'
> & { base: Base; calls: Pick<Call, 'action' | 'args' | 'isVersioned'>[] };

export function draftKey(draft: Pick<Draft, 'person' | 'coverage' | 'place' | 'id'>): string {
  return [draft.person, draft.coverage, draft.place, draft.id].join('/');
}
