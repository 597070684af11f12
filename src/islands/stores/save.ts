import type { UpdateContent, UpdateState } from '../../lib/desk/update.ts';
import { zonedTime } from '../../lib/desk/zoned-time.ts';
import type { CommandKind, CommandResult } from '../../lib/outbox/kept.ts';
import type { Command } from './outbox.ts';

/** How to save an update. `change` saves a published update. */
export type SaveAction =
  | { kind: 'publish' | 'save' | 'submit' }
  /** `at` is the form's value, in the coverage's time zone. */
  | { kind: 'schedule'; at: string }
  | { kind: 'change'; as: 'revision' | 'clarification' | 'correction'; note: string };

/** Result of a save. `kept` means stored on this device only. */
export type SaveStatus =
  | { kind: 'kept' | 'draft' | 'submitted' | 'scheduled' | 'changed' | 'refused' }
  | { kind: 'published'; number: number };

type Target = {
  coverage: { id: string; time_zone: string };
  id: string;
  content: UpdateContent;
};

type Calls = Command['calls'];

/** RPC calls that save an update. */
export function saveCalls(action: SaveAction | { kind: 'auto' }, { coverage, id, content }: Target): Calls {
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
      const scheduled_for = zonedTime(action.at, coverage.time_zone) ?? '';
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
