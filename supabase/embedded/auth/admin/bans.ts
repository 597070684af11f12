import { sql } from 'kysely';
import { endSessions } from '../sessions.ts';
import type { Db } from '../tables.ts';
import { updateUser } from '../users.ts';

/**
 * Shuts an account out from now on, for so many milliseconds, and ends its sessions; 0 lets it in again.
 * @param db a transaction
 */
export async function ban(db: Db, userId: string, ms: number): Promise<void> {
  const until = sql<string>`now() + make_interval(secs => ${ms / 1000}::double precision)`;
  await updateUser(db, userId, { banned_until: ms > 0 ? until : null });
  if (ms > 0) await endSessions(db, userId);
}
