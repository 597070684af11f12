import { excerpt } from '../../lib/body/text.ts';
import { type FormProblems, formContent, formProblems } from '../../lib/desk/form.ts';
import { timeProblem } from '../../lib/desk/schedule.ts';
import { LIMITS } from '../../lib/limits.ts';
import type { Base } from '../../lib/outbox/kept.ts';
import { type PhotoProblems, photoContent, photoProblems } from '../../lib/photos/form.ts';
import { desk as words } from '../../lib/text/desk.ts';
import type { Desk } from './desk.ts';
import type { Work } from './editor.ts';
import type { Pressed } from './outbox.ts';
import { callsOf, type Saving } from './save.ts';

export type Sendable =
  | { pressed: Pressed; problems?: undefined }
  | { problems: FormProblems; photos: PhotoProblems };

/** Characters of the first words, to tell a press by. */
const TITLE = 80;

/** The press that saves an update in one of its ways, or what the database would refuse of it. */
export function sendable(desk: Desk, work: Work, saving: Saving | { kind: 'auto' }, base: Base): Sendable {
  const { id, before, form } = work;
  const isDraft = saving.kind === 'save' || saving.kind === 'auto';
  // A photo that cannot become one holds nothing up: the update goes without it.
  const photos = desk.photos.hopeful(form.photos);
  const coverage = desk.$coverage.get();
  const content = formContent(form, coverage.time_zone, before, photos);
  const ids = photos.map((photo) => photo.id);
  const wrongPhotos = photoProblems(form.photos, !isDraft, ids);
  const problems = {
    ...formProblems(content, isDraft ? 0 : 1),
    ...problemOfTime(desk, saving),
    ...(lacksNote(saving) ? { note: words.problems.note(LIMITS.note) } : {}),
  };
  if (Object.keys({ ...problems, ...wrongPhotos }).length > 0) return { problems, photos: wrongPhotos };

  const worded = desk.photos.changedWords(photos, before?.photos ?? []).map((photo) => ({
    action: 'save_photo',
    args: { photo_id: photo.id, coverage_id: coverage.id, content: photoContent(photo) },
    isVersioned: false,
  }));
  const calls = [...worded, ...callsOf(saving, { coverage, id, content })];
  const title = content.headline ?? excerpt(content.body, TITLE);
  return { pressed: { subject: id, kind: saving.kind, base, calls, title, work } };
}

function problemOfTime(desk: Desk, saving: { kind: string; at?: string }): FormProblems {
  if (saving.kind !== 'schedule') return {};
  const scheduled_for = timeProblem(saving.at ?? '', desk.$coverage.get().time_zone);
  return scheduled_for ? { scheduled_for } : {};
}

function lacksNote(saving: Saving | { kind: 'auto' }): boolean {
  return saving.kind === 'change' && saving.as !== 'revision' && saving.note.trim() === '';
}
