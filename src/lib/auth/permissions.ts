import type { Database } from '../supabase/database.types.ts';

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
