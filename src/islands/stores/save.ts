import type { UpdateContent, UpdateState } from '../../lib/desk/update.ts';
import { zonedTime } from '../../lib/desk/zoned-time.ts';
import type { Desk } from './desk.ts';

/** How a saving is called: what a person presses. `change` saves over what is published. */
export type Saving =
  | { kind: 'publish' | 'save' | 'submit' }
  /** `at` as the form gives it: by the clocks of the coverage. */
  | { kind: 'schedule'; at: string }
  | { kind: 'change'; as: 'revision' | 'clarification' | 'correction'; note: string };

/** What a saving has made of an update. */
export type Sent =
  | { kind: 'draft' | 'submitted' | 'scheduled' | 'changed' }
  | { kind: 'published'; number: number };

type Target = {
  id: string;
  /** The version that was seen; null when the desk has none. */
  version: number | null;
  content: UpdateContent;
};

/**
 * Saves an update in one of its ways.
 * @param saved called with the version that the first step of two has made
 * @throws Refused
 */
export async function save(
  desk: Desk,
  saving: Saving,
  { id: update_id, version, content }: Target,
  saved: (version: number) => void,
): Promise<Sent> {
  if (saving.kind === 'change') {
    const change = { update_id, version: version ?? 1, content };
    if (saving.as === 'revision') await desk.press('revise_update', change);
    else await desk.press('correct_update', { ...change, note: saving.note, kind: saving.as });
    return { kind: 'changed' };
  }
  const { id: coverage_id, time_zone } = desk.$coverage.get();
  const whole = { coverage_id, update_id, content, version: version ?? undefined };
  if (saving.kind === 'schedule') {
    await desk.press('schedule_update', { ...whole, scheduled_for: zonedTime(saving.at, time_zone) ?? '' });
    return { kind: 'scheduled' };
  }
  if (saving.kind === 'publish') {
    const done = await desk.press('publish_update', whole);
    return { kind: 'published', number: (done as { number: number }).number };
  }
  const draft = (await desk.press('save_update', whole)) as { version: number; state: UpdateState };
  if (draft.state === 'scheduled') return { kind: 'scheduled' };
  if (saving.kind === 'save') return { kind: 'draft' };
  // Handed in by an earlier try whose answer was lost.
  if (draft.state === 'submitted') return { kind: 'submitted' };
  saved(draft.version);
  await desk.press('submit_update', { update_id, version: draft.version });
  return { kind: 'submitted' };
}
