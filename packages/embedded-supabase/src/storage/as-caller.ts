import { sql, type Transaction } from 'kysely';
import type { HttpContext } from '../gateway/request-context.ts';
import type { Claims } from '../tokens.ts';
import type { Storage } from './types.ts';

/** On whose behalf something is done, and as what: policies read all of it. */
export type StorageCaller = {
  claims: Claims;
  /** What `storage.operation()` says: `storage.object.upload`, `storage.tus.upload.create`. */
  operation: string;
  http?: HttpContext;
};

/** The caller of what the storage does on its own. */
export const SERVICE_CALLER = (operation: string): StorageCaller => ({
  claims: { role: 'service_role' },
  operation,
});

type Work<Result> = (transaction: Transaction<unknown>) => Promise<Result>;

/**
 * Runs statements with a caller's rights in one transaction. Statements only: on PGlite all other requests wait.
 * @throws errors of the database
 */
export function asCaller<Result>(
  storage: Storage,
  caller: StorageCaller,
  work: Work<Result>,
): Promise<Result> {
  return storage.db.transaction().execute(async (transaction) => {
    await setRole(storage, caller, transaction);
    return work(transaction);
  });
}

/** The same, and takes it all back: what is learnt is whether it may be done. */
export async function tryAsCaller(
  storage: Storage,
  caller: StorageCaller,
  work: Work<unknown>,
): Promise<void> {
  const transaction = await storage.db.startTransaction().execute();
  try {
    await setRole(storage, caller, transaction);
    await work(transaction);
  } finally {
    await transaction.rollback().execute();
  }
}

/** Puts a caller's rights on for the rest of a transaction. */
export async function setRole(storage: Storage, caller: StorageCaller, transaction: Transaction<unknown>) {
  // Rows are deleted together with their files; the table requires this setting.
  await sql`select set_config('storage.operation', ${caller.operation}, true),
    set_config('storage.allow_delete_query', 'true', true)`.execute(transaction);
  await storage.context.enter(transaction, caller.claims, caller.http);
}
