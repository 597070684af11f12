import { may } from '../auth/permissions.ts';
import type { Person } from '../auth/person.ts';
import type { DeskUpdate } from './update.ts';

/** Somebody at a desk. `member`: they have a place in this coverage that has not expired. */
export type DeskPerson = Pick<Person, 'id' | 'display_name' | 'handle' | 'role'> & { member: boolean };

export const mayWrite = ({ role, member }: DeskPerson) => may(role, 'write_update', { member });
export const mayRun = ({ role }: DeskPerson) => may(role, 'run_coverage');
export const mayPublishOwn = ({ role }: DeskPerson) => may(role, 'publish_update', { own: true });

/** What a person may do to an update now. `edit` opens it, whatever saving it is called then. */
export type UpdateAction =
  | 'edit'
  | 'submit'
  | 'publish'
  | 'spike'
  | 'unschedule'
  | 'pin'
  | 'unpin'
  | 'withdraw';

/** @param pinned the id of the update that the coverage holds at its top */
export function actionsOn(update: DeskUpdate, person: DeskPerson, pinned: string | null): UpdateAction[] {
  const own = update.author === person.id;
  const publish = may(person.role, 'publish_update', { own });
  const change = mayWrite(person) && (own || mayRun(person));
  switch (update.state) {
    case 'draft':
    case 'submitted':
      return [
        ...(change ? (['edit'] as const) : []),
        ...(publish ? (['publish'] as const) : []),
        ...(change && update.state === 'draft' && !publish ? (['submit'] as const) : []),
        ...(change ? (['spike'] as const) : []),
      ];
    case 'scheduled':
      return publish ? ['edit', 'publish', 'unschedule', 'spike'] : [];
    case 'published':
      return [
        ...(publish ? (['edit'] as const) : []),
        ...(mayRun(person) ? ([pinned === update.id ? 'unpin' : 'pin'] as const) : []),
        ...(publish ? (['withdraw'] as const) : []),
      ];
    default:
      return [];
  }
}
