import type { FormPhoto } from '../../lib/data/photo-form.ts';
import type { UpdateForm } from '../../lib/data/update-form.ts';
import type { Body } from '../../lib/domain/body/blocks.ts';
import type { CommandKind, DeskUpdate } from '../../lib/domain/updates.ts';
import type { Refusal } from '../../lib/i18n/refusals.ts';

/**
 * The version of an update that a text replaces. `command` names the queued command that will create that version,
 * until the backend has answered it. `version` is null for an update that the backend does not have.
 */
export type BaseVersion = { version: number | null; command: string | null };

/** Unsaved input of one form, as stored on this device. */
export type Draft<Form = unknown, Before = unknown> = {
  /** Key of the stored draft. See `draftKey`. */
  key: string;
  person: string;
  coverage: string;
  /** `new` for the composer, the id of an update that was opened again, or the name of a panel. */
  scope: string;
  /** Id of the update. */
  id: string;
  base: BaseVersion;
  form: Form;
  /** The update when editing began. */
  before: Before | null;
  /** Content that a choice between two versions has put aside. */
  aside?: Form | null;
  /** Whether the backend has exactly this content. */
  isSaved: boolean;
  /** Error that the backend returned for the autosave, until the draft gets another base. */
  refusal?: Refusal | null;
  /** Random id, replaced at each change. A tab compares it to notice a change by another tab. */
  changeId: string;
  /** Time of the last change, in milliseconds since 1970. */
  at: number;
};

/** One RPC call of a command. Its idempotency key never changes, so the database runs a repeated call once. */
export type CommandCall = {
  idempotencyKey: string;
  action: string;
  args: Readonly<Record<string, unknown>>;
  /** Whether the call sends the base version that is known when it is made. */
  isVersioned: boolean;
  isDone: boolean;
};

/** State of the update after the command, and when the backend answered (milliseconds since 1970). */
export type CommandResult = {
  at: number;
  version: number | null;
  number: number | null;
  state: string | null;
};

/** A command as stored on this device, until its result has been shown. */
export type QueuedCommand<Edited = unknown> = {
  id: string;
  /** Position in the order of creation on this device. */
  position: number;
  person: string;
  coverage: string;
  slug: string;
  /** Id of the changed update, or of the coverage. Commands of one subject are sent in order. */
  subject: string;
  kind: CommandKind;
  base: BaseVersion;
  /** For an autosave, the `changeId` of the draft that it saves. */
  changeId: string | null;
  calls: CommandCall[];
  /** Number of attempts to send. A command that was sent once may have been executed, so it cannot be recalled. */
  attempts: number;
  /** Number of internal errors of the backend. Absent in commands of earlier builds. */
  faults?: number;
  /** Beginning of the text, shown as a label. */
  title: string;
  /** Content to restore in an editor. */
  edited: Edited | null;
  /** `held`: recalled before it was sent. Its content can be edited. */
  state: 'waiting' | 'held' | 'refused' | 'done';
  refusal: Refusal | null;
  result: CommandResult | null;
};

/** A command as its creator provides it. The outbox adds the rest. */
export type NewCommand<Edited = unknown> = Pick<
  QueuedCommand<Edited>,
  'id' | 'person' | 'coverage' | 'slug' | 'subject' | 'kind' | 'title' | 'edited'
> & {
  base: BaseVersion;
  calls: Pick<CommandCall, 'action' | 'args' | 'isVersioned'>[];
  /** Photos that the command leaves out. */
  followUp?: PhotoFollowUp;
};

/** A photo that waits for its alt text. */
export type WaitingPhoto = FormPhoto & {
  /** Whether its author has finished the alt text. */
  isDescribed: boolean;
  /** Why the backend did not add it. */
  refusal?: Refusal | null;
};

/** Photos that a publication left out because they had no alt text, until they are in the published update. */
export type PhotoFollowUp = {
  photos: WaitingPhoto[];
  /** Body of the update with all its photos. */
  body: Body;
  /** Beginning of the text, shown as a label. */
  title: string;
};

export function draftKey(draft: Pick<Draft, 'person' | 'coverage' | 'scope' | 'id'>): string {
  return [draft.person, draft.coverage, draft.scope, draft.id].join('/');
}

/** A photo or tip that waits to be sent, with its file. */
export type QueuedEntry = {
  id: string;
  /** When it was created, in milliseconds since 1970. */
  at: number;
};

/** The update in an editor and the version that it is based on. */
export type EditedUpdate = {
  id: string;
  /** Version to save over; null when the backend does not have the update. */
  version: number | null;
  /** The update when editing began; none for a new one. */
  before?: DeskUpdate;
  form: UpdateForm;
};
