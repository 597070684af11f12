import type { Database } from './database.types.ts';
import type { DeskUpdate } from './updates.ts';

export type Role = Database['public']['Enums']['person_role'];
export type Permission =
  | 'read_desk'
  | 'write_update'
  | 'publish_update'
  | 'run_coverage'
  | 'handle_tips'
  | 'administer';

/** `own`: what the person wrote. `member`: in coverages where the person has a place that has not expired. */
export type Scope = 'any' | 'own' | 'member';

/**
 * Who may do what. The database decides at every call; this copy is for the screens, so that nobody is
 * offered what would be refused.
 */
export const PERMISSIONS: Record<Permission, Partial<Record<Role, Scope>>> = {
  read_desk: { contributor: 'member', reporter: 'any', moderator: 'any', editor: 'any', owner: 'any' },
  write_update: { contributor: 'member', reporter: 'any', editor: 'any', owner: 'any' },
  publish_update: { reporter: 'own', editor: 'any', owner: 'any' },
  run_coverage: { editor: 'any', owner: 'any' },
  handle_tips: { moderator: 'any', editor: 'any', owner: 'any' },
  administer: { owner: 'any' },
};

/** What a right may hang on, beside the role. */
export type Circumstances = {
  /** The person wrote the thing in question. */
  own?: boolean;
  /** The person has a place in the coverage in question. */
  member?: boolean;
};

export function may(role: Role, permission: Permission, { own, member }: Circumstances = {}): boolean {
  const scope = PERMISSIONS[permission][role];
  return scope === 'any' || (scope === 'own' && own === true) || (scope === 'member' && member === true);
}

/** Whether there is any desk at all for a role; which coverages are on it is another question. */
export function hasDesk(role: Role): boolean {
  return PERMISSIONS.read_desk[role] !== undefined;
}

/** Somebody who is signed in, as they may know themselves. */
export type Person = { id: string; handle: string; display_name: string; bio: string; role: Role };

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
