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

/** `own`: what the person wrote. `member`: coverages in which the person has a membership that has not expired. */
type Scope = 'any' | 'own' | 'member';

/**
 * Permissions of each role. The database decides on every call. This copy lets screens hide actions that would be
 * refused.
 */
export const PERMISSIONS: Record<Permission, Partial<Record<Role, Scope>>> = {
  read_desk: { contributor: 'member', reporter: 'any', moderator: 'any', editor: 'any', owner: 'any' },
  write_update: { contributor: 'member', reporter: 'any', editor: 'any', owner: 'any' },
  publish_update: { reporter: 'own', editor: 'any', owner: 'any' },
  run_coverage: { editor: 'any', owner: 'any' },
  handle_tips: { moderator: 'any', editor: 'any', owner: 'any' },
  administer: { owner: 'any' },
};

/** Facts other than the role that a permission depends on. */
type PermissionContext = {
  /** The person wrote the update. */
  own?: boolean;
  /** The person has a membership in the coverage. */
  member?: boolean;
};

export function may(role: Role, permission: Permission, { own, member }: PermissionContext = {}): boolean {
  const scope = PERMISSIONS[permission][role];
  return scope === 'any' || (scope === 'own' && own === true) || (scope === 'member' && member === true);
}

/** Whether the role has access to desks. Access to a single coverage is a separate check. */
export function hasDesk(role: Role): boolean {
  return PERMISSIONS.read_desk[role] !== undefined;
}

/** Signed-in person, with the fields that the person can read. */
export type Person = { id: string; handle: string; display_name: string; bio: string; role: Role };

/** Person at a desk. `member`: has a membership in this coverage that has not expired. */
export type DeskPerson = Pick<Person, 'id' | 'display_name' | 'handle' | 'role'> & { member: boolean };

export const mayWrite = ({ role, member }: DeskPerson) => may(role, 'write_update', { member });
export const mayRun = ({ role }: DeskPerson) => may(role, 'run_coverage');
export const mayPublishOwn = ({ role }: DeskPerson) => may(role, 'publish_update', { own: true });

/** Actions that a person may take on an update. `edit` opens it. */
export type UpdateActionName =
  | 'edit'
  | 'submit'
  | 'publish'
  | 'spike'
  | 'unschedule'
  | 'pin'
  | 'unpin'
  | 'withdraw';

/**
 * Returns the actions that a person may take on an update in its current state.
 * @param pinned id of the coverage's pinned update
 */
export function actionsOn(update: DeskUpdate, person: DeskPerson, pinned: string | null): UpdateActionName[] {
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
