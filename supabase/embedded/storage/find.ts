import { type RawBuilder, sql } from 'kysely';
import { asCaller, type Caller } from './as-caller.ts';
import { bucketRules } from './buckets.ts';
import { checkObjectName } from './names.ts';
import type { ObjectMetadata } from './objects.ts';
import type { Storage } from './storage.ts';
import { noObject } from './storage-refused.ts';

/** A row of storage.objects. */
export type StoredObject = {
  id: string;
  bucket_id: string;
  name: string;
  owner: string | null;
  owner_id: string | null;
  version: string | null;
  created_at: string;
  updated_at: string;
  last_accessed_at: string;
  metadata: ObjectMetadata | null;
  user_metadata: Record<string, unknown> | null;
};

export const COLUMNS: RawBuilder<unknown> = sql`id, bucket_id, name, owner, owner_id, version, created_at, updated_at,
  last_accessed_at, metadata, user_metadata`;

/**
 * An object that this caller may see.
 * @throws StorageRefused when there is none that they may
 */
export async function findObject(
  storage: Storage,
  caller: Caller,
  { bucket, name }: { bucket: string; name: string },
): Promise<StoredObject> {
  checkObjectName(name);
  const { rows } = await asCaller(storage, caller, (transaction) =>
    sql<StoredObject>`select ${COLUMNS} from storage.objects
      where bucket_id = ${bucket} and name = ${name}`.execute(transaction),
  );
  if (rows[0]) return rows[0];
  // Says so, where the bucket itself is what is missing.
  await bucketRules(storage, bucket);
  throw noObject();
}
