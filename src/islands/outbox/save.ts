import {
  type FormPhoto,
  type PhotoProblems,
  photoContent,
  photoProblems,
} from '../../lib/data/photo-form.ts';
import { publicationTimeProblem } from '../../lib/data/scheduling.ts';
import { type FormProblems, formContent, formProblems } from '../../lib/data/update-form.ts';
import { excerpt, photoIds } from '../../lib/domain/body/blocks.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { utcFromLocal } from '../../lib/domain/local-time.ts';
import type { CommandKind, DeskUpdate, UpdateContent, UpdateState } from '../../lib/domain/updates.ts';
import type { Desk } from '../desk/desk.ts';
import type { DeskMessages } from '../desk/messages.tsx';
import type { BaseVersion, CommandResult, EditedUpdate } from './entries.ts';
import type { Command } from './outbox.ts';

/** How to save an update. `change` saves a published update. */
export type SaveAction =
  | { kind: 'publish' | 'save' | 'submit' }
  /** `at` is the form's value, in the coverage's time zone. */
  | { kind: 'schedule'; at: string }
  | { kind: 'change'; as: 'revision' | 'clarification' | 'correction'; note: string };

/** Result of a save. `kept` means stored on this device only. */
export type SaveStatus =
  | { kind: 'draft' | 'submitted' | 'scheduled' | 'changed' | 'refused' }
  | { kind: 'kept'; isPublication: boolean }
  | { kind: 'published'; number: number };

type Target = {
  coverage: { id: string; time_zone: string };
  id: string;
  content: UpdateContent;
};

type Calls = Command['calls'];

/** RPC calls that save an update. */
function saveCalls(action: SaveAction | { kind: 'auto' }, { coverage, id, content }: Target): Calls {
  const call = (action: string, args: object, isVersioned = true) => ({
    action,
    args: { update_id: id, ...args },
    isVersioned,
  });
  const args = { coverage_id: coverage.id, content };
  switch (action.kind) {
    case 'publish':
      return [call('publish_update', args)];
    case 'schedule': {
      const scheduled_for = utcFromLocal(action.at, coverage.time_zone) ?? '';
      return [call('schedule_update', { ...args, scheduled_for })];
    }
    case 'change':
      if (action.as === 'revision') return [call('revise_update', { content })];
      return [call('correct_update', { content, note: action.note, kind: action.as })];
    case 'submit':
      return [call('save_update', args), call('submit_update', {})];
    default:
      return [call('save_update', args)];
  }
}

/** Save status after a finished command. */
export function saveStatusOf(kind: CommandKind, { state, number }: CommandResult): SaveStatus {
  if (kind === 'change') return { kind: 'changed' };
  if (state === 'published' && number) return { kind: 'published', number };
  const statuses: Partial<Record<UpdateState, SaveStatus>> = {
    submitted: { kind: 'submitted' },
    scheduled: { kind: 'scheduled' },
  };
  return statuses[state as UpdateState] ?? { kind: 'draft' };
}

type CommandOrProblems =
  | { command: Command; problems?: undefined }
  | { problems: FormProblems; photos: PhotoProblems };

/** Length of a command's label in characters. */
const TITLE_LENGTH = 80;

/**
 * Photos that a save leaves out, because readers see it next and they have no alt text. Photos that are published
 * already keep the save waiting.
 */
function undescribedPhotos(
  { kind }: { kind: string },
  photos: FormPhoto[],
  before: DeskUpdate | undefined,
): FormPhoto[] {
  if (kind !== 'publish' && kind !== 'change') return [];
  const publishedIds = before?.state === 'published' ? photoIds(before.body) : [];
  return photos.filter((photo) => !photoContent(photo).alt && !publishedIds.includes(photo.id));
}

/** Builds the command that saves an update, or the problems that the database would report. */
export function buildCommand(
  messages: DeskMessages,
  desk: Pick<Desk, '$coverage' | 'photos'>,
  edited: EditedUpdate,
  action: SaveAction | { kind: 'auto' },
  base: BaseVersion,
): CommandOrProblems {
  const { id, before, form } = edited;
  const isDraft = action.kind === 'save' || action.kind === 'auto';
  // A failed photo does not block the update. The update is sent without it.
  const usable = desk.photos.usable(form.photos);
  const coverage = desk.$coverage.get();
  const contentWith = (photos: FormPhoto[]) => formContent(form, coverage.time_zone, before, photos);
  const undescribed = undescribedPhotos(action, usable, before);
  const rest = usable.filter((photo) => !undescribed.includes(photo));
  // Without a text or another photo, nothing can be published before the alt text is written.
  const waiting = contentWith(rest).body.length > 0 ? undescribed : [];
  const photos = waiting.length > 0 ? rest : usable;
  const content = contentWith(photos);
  const photoIssues = {
    ...photoProblems(messages, form.photos, !isDraft, idsOf(photos)),
    ...photoProblems(messages, form.photos, false, idsOf(waiting)),
  };
  const problems = {
    ...formProblems(messages, content, isDraft ? 0 : 1),
    ...scheduleProblem(messages, coverage.time_zone, action),
    ...(lacksNote(action) ? { note: messages.desk.problems.note(LIMITS.note) } : {}),
  };
  if (Object.keys({ ...problems, ...photoIssues }).length > 0) return { problems, photos: photoIssues };

  const photoCalls = desk.photos.photosWithNewText(photos, before?.photos ?? []).map((photo) => ({
    action: 'save_photo',
    args: { photo_id: photo.id, coverage_id: coverage.id, content: photoContent(photo) },
    isVersioned: false,
  }));
  const calls = [...photoCalls, ...saveCalls(action, { coverage, id, content })];
  const title = content.headline ?? excerpt(content.body, TITLE_LENGTH);
  const followUp = {
    photos: waiting.map((photo) => ({ ...photo, isDescribed: false })),
    body: contentWith(usable).body,
    title,
  };
  const command = { subject: id, kind: action.kind, base, calls, title, edited };
  return { command: waiting.length > 0 ? { ...command, followUp } : command };
}

/** Whether a command changes the text of a photo that was not chosen for its update on this device. */
export function changesOtherPhotos({ photos }: Pick<Desk, 'photos'>, { subject, calls }: Command): boolean {
  const statuses = photos.$photos.get();
  return calls.some(
    ({ action, args }) => action === 'save_photo' && statuses[String(args.photo_id)]?.update !== subject,
  );
}

const idsOf = (photos: FormPhoto[]) => photos.map(({ id }) => id);

function scheduleProblem(
  messages: DeskMessages,
  time_zone: string,
  action: { kind: string; at?: string },
): FormProblems {
  if (action.kind !== 'schedule') return {};
  const scheduled_for = publicationTimeProblem(messages, action.at ?? '', time_zone);
  return scheduled_for ? { scheduled_for } : {};
}

function lacksNote(action: SaveAction | { kind: 'auto' }): boolean {
  return action.kind === 'change' && action.as !== 'revision' && action.note.trim() === '';
}

/** Status message for the result of a save. */
export function statusMessageOf(messages: DeskMessages, status: SaveStatus): string {
  switch (status.kind) {
    case 'kept':
      return status.isPublication ? messages.outbox.keptToPublish : messages.outbox.kept;
    case 'refused':
      return messages.outbox.needsYou;
    case 'published':
      return messages.desk.status.sent.published(status.number);
    default:
      return messages.desk.status.sent[status.kind];
  }
}

/** Reads the save action from a submitted form: the pressed button and its fields. */
export function saveActionOf(form: FormData): SaveAction | null {
  const kind = form.get('saving');
  if (kind === 'publish' || kind === 'save' || kind === 'submit') return { kind };
  if (kind === 'schedule') return { kind, at: String(form.get('at') ?? '') };
  const as = form.get('as');
  if (kind !== 'change' || (as !== 'revision' && as !== 'clarification' && as !== 'correction')) return null;
  return { kind, as, note: String(form.get('note') ?? '') };
}
