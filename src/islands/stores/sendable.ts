import { excerpt } from '../../lib/body/text.ts';
import { type FormProblems, formContent, formProblems } from '../../lib/desk/form.ts';
import { timeProblem } from '../../lib/desk/schedule.ts';
import { LIMITS } from '../../lib/limits.ts';
import type { BaseVersion } from '../../lib/outbox/kept.ts';
import { type PhotoProblems, photoContent, photoProblems } from '../../lib/photos/form.ts';
import { desk as messages } from '../../lib/text/desk.ts';
import type { Desk } from './desk.ts';
import type { EditedUpdate } from './editor.ts';
import type { Command } from './outbox.ts';
import { type SaveAction, saveCalls } from './save.ts';

export type CommandOrProblems =
  | { command: Command; problems?: undefined }
  | { problems: FormProblems; photos: PhotoProblems };

/** Length of a command's label in characters. */
const TITLE_LENGTH = 80;

/** Builds the command that saves an update, or the problems that the database would report. */
export function buildCommand(
  desk: Desk,
  edited: EditedUpdate,
  action: SaveAction | { kind: 'auto' },
  base: BaseVersion,
): CommandOrProblems {
  const { id, before, form } = edited;
  const isDraft = action.kind === 'save' || action.kind === 'auto';
  // A failed photo does not block the update. The update is sent without it.
  const photos = desk.photos.hopeful(form.photos);
  const coverage = desk.$coverage.get();
  const content = formContent(form, coverage.time_zone, before, photos);
  const ids = photos.map((photo) => photo.id);
  const photoIssues = photoProblems(form.photos, !isDraft, ids);
  const problems = {
    ...formProblems(content, isDraft ? 0 : 1),
    ...scheduleProblem(desk, action),
    ...(lacksNote(action) ? { note: messages.problems.note(LIMITS.note) } : {}),
  };
  if (Object.keys({ ...problems, ...photoIssues }).length > 0) return { problems, photos: photoIssues };

  const photoCalls = desk.photos.changedWords(photos, before?.photos ?? []).map((photo) => ({
    action: 'save_photo',
    args: { photo_id: photo.id, coverage_id: coverage.id, content: photoContent(photo) },
    isVersioned: false,
  }));
  const calls = [...photoCalls, ...saveCalls(action, { coverage, id, content })];
  const title = content.headline ?? excerpt(content.body, TITLE_LENGTH);
  return { command: { subject: id, kind: action.kind, base, calls, title, edited } };
}

function scheduleProblem(desk: Desk, action: { kind: string; at?: string }): FormProblems {
  if (action.kind !== 'schedule') return {};
  const scheduled_for = timeProblem(action.at ?? '', desk.$coverage.get().time_zone);
  return scheduled_for ? { scheduled_for } : {};
}

function lacksNote(action: SaveAction | { kind: 'auto' }): boolean {
  return action.kind === 'change' && action.as !== 'revision' && action.note.trim() === '';
}
