import type { Enums } from '../supabase/database.types.ts';
import type { ReaderUpdate } from '../updates/update.ts';

/** What a version of an update says. Those under it by their names. */
export type VersionWords = Pick<
  ReaderUpdate,
  'headline' | 'body' | 'key_event' | 'urgency' | 'verification' | 'attribution' | 'dateline' | 'occurred_at'
> & {
  bylines: string[];
  /** The desk's alone. */
  desk_note?: string | null;
};

/** A version of an update: when it was saved, as what, and its words, unless they were taken away. */
export type Version = {
  version: number;
  kind: Enums<'revision_kind'>;
  note: string | null;
  at: string;
  words: VersionWords | null;
  redacted: { at: string; reason: string } | null;
};
