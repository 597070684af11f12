import type { UpdateContent, UpdateState } from '../../lib/desk/update.ts';
import { zonedTime } from '../../lib/desk/zoned-time.ts';
import type { Answered, PressKind } from '../../lib/outbox/kept.ts';
import type { Pressed } from './outbox.ts';

/** How a saving is called: what a person presses. `change` saves over what is published. */
export type Saving =
  | { kind: 'publish' | 'save' | 'submit' }
  /** `at` as the form gives it: by the clocks of the coverage. */
  | { kind: 'schedule'; at: string }
  | { kind: 'change'; as: 'revision' | 'clarification' | 'correction'; note: string };

/** What a saving has made of an update; at first it is on this device only. */
export type Sent =
  | { kind: 'kept' | 'draft' | 'submitted' | 'scheduled' | 'changed' | 'refused' }
  | { kind: 'published'; number: number };

type Target = {
  coverage: { id: string; time_zone: string };
  id: string;
  content: UpdateContent;
};

type Calls = Pressed['calls'];

/** The calls by which an update is saved in one of its ways. */
export function callsOf(saving: Saving | { kind: 'auto' }, { coverage, id, content }: Target): Calls {
  const call = (action: string, args: object, isVersioned = true) => ({
    action,
    args: { update_id: id, ...args },
    isVersioned,
  });
  const whole = { coverage_id: coverage.id, content };
  switch (saving.kind) {
    case 'publish':
      return [call('publish_update', whole)];
    case 'schedule': {
      const scheduled_for = zonedTime(saving.at, coverage.time_zone) ?? '';
      return [call('schedule_update', { ...whole, scheduled_for })];
    }
    case 'change':
      if (saving.as === 'revision') return [call('revise_update', { content })];
      return [call('correct_update', { content, note: saving.note, kind: saving.as })];
    case 'submit':
      return [call('save_update', whole), call('submit_update', {})];
    default:
      return [call('save_update', whole)];
  }
}

/** What an answered press has made of its update. */
export function sentOf(kind: PressKind, { state, number }: Answered): Sent {
  if (kind === 'change') return { kind: 'changed' };
  if (state === 'published' && number) return { kind: 'published', number };
  const known: Partial<Record<UpdateState, Sent>> = {
    submitted: { kind: 'submitted' },
    scheduled: { kind: 'scheduled' },
  };
  return known[state as UpdateState] ?? { kind: 'draft' };
}
