import { sql } from 'kysely';
import { asCaller, become, type Caller } from './as-caller.ts';
import { bucketRules } from './buckets.ts';
import { checkType, typeOf } from './content-type.ts';
import { COLUMNS, findObject, type StoredObject } from './find.ts';
import { checkObjectName } from './names.ts';
import {
  type Destination,
  type KeptObject,
  lockName,
  mayInsert,
  type ObjectMetadata,
  placeFile,
} from './objects.ts';
import type { Storage } from './storage.ts';
import { noObject, tooLarge } from './storage-refused.ts';

type Place = { bucket: string; name: string };

/**
 * Gives an object another name, or another bucket; its bytes stay where they are.
 * @throws StorageRefused, or the database's own refusal
 */
export async function moveObject(
  storage: Storage,
  caller: Caller,
  from: Place,
  to: Place,
): Promise<{ id: string }> {
  checkObjectName(to.name);
  const source = await findObject(storage, caller, from);
  if (source.metadata) await holdAgainstRules(storage, to, source.metadata);
  const mover = caller.claims.sub;
  const changed = await storage.db.transaction().execute(async (transaction) => {
    await lockName(transaction, from);
    await become(storage, caller, transaction);
    return sql`update storage.objects set name = ${to.name}, bucket_id = ${to.bucket},
        owner_id = coalesce(${mover ?? null}, owner_id), owner = coalesce(auth.uid(), owner)
      where bucket_id = ${from.bucket} and name = ${from.name}`.execute(transaction);
  });
  if (!changed.numAffectedRows) throw noObject();
  return { id: source.id };
}

/** What a copy is, where it is not to be what its source is. */
export type CopySaid = { mimetype: string; cacheControl: string };

/**
 * Makes a second object of the same bytes.
 * @param said stands in for all that is known of the source
 * @throws StorageRefused, or the database's own refusal
 */
export async function copyObject(
  storage: Storage,
  caller: Caller,
  from: Place,
  to: Destination,
  said?: CopySaid,
): Promise<KeptObject> {
  const source = await findObject(storage, caller, from);
  const { metadata } = source;
  if (!source.version || !metadata) throw noObject();
  const { size, eTag } = metadata;
  const own = said ? to : { ...to, metadata: source.user_metadata ?? undefined };
  await mayInsert(storage, caller, own, { contentType: metadata.mimetype, size });
  const part = await storage.files.copy(source.version).catch(missing);
  try {
    const mimetype = said ? await typeOf(part.path, said.mimetype) : metadata.mimetype;
    await holdAgainstRules(storage, to, { mimetype, size });
    const { cacheControl } = said ?? metadata;
    return await placeFile(storage, caller, own, { mimetype, size, eTag, cacheControl }, part.path);
  } finally {
    await part.discard();
  }
}

/** The bytes are gone: somebody has removed or replaced the object meanwhile. */
export function missing(error: unknown): never {
  throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noObject() : error;
}

async function holdAgainstRules(
  storage: Storage,
  { bucket }: Place,
  { mimetype, size }: Pick<ObjectMetadata, 'mimetype' | 'size'>,
): Promise<void> {
  const { sizeLimit, allowedTypes } = await bucketRules(storage, bucket);
  if (size > sizeLimit) throw tooLarge();
  checkType(mimetype, allowedTypes);
}

/**
 * Removes those of these objects that the caller may remove.
 * @param names undefined removes all of the bucket
 * @returns what was removed
 */
export async function removeObjects(
  storage: Storage,
  caller: Caller,
  bucket: string,
  names: string[] | undefined,
): Promise<StoredObject[]> {
  const chosen = names
    ? sql`and name in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`
    : sql``;
  const { rows } = await asCaller(storage, caller, (transaction) =>
    sql<StoredObject>`delete from storage.objects where bucket_id = ${bucket} ${chosen}
      returning ${COLUMNS}`.execute(transaction),
  );
  await storage.files.forget(rows.map(({ version }) => version));
  return rows;
}
