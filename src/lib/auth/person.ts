import type { Role } from './permissions.ts';

/** Somebody who is signed in, as they may know themselves. */
export type Person = { id: string; handle: string; display_name: string; bio: string; role: Role };
