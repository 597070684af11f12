import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { validate as isUuid } from 'uuid';
import { isDatabaseError, isTimeoutError } from '../engine/errors.ts';
import { type BucketRules, readBucketRules } from './buckets.ts';
import { checkAllowedType, checkDeclaredType, detectContentType } from './content-type.ts';
import {
  applyCaller,
  dryRunAsCaller,
  runAsCaller,
  type Storage,
  type StorageCaller,
  withUtcTimes,
} from './context.ts';
import { entityTooLarge, objectNotFound, StorageError } from './errors.ts';
import { sizeAndETag, type Uploader } from './files.ts';
import { checkObjectName } from './names.ts';

/** Path of a new object, and whether it may replace an existing one. */
export type Destination = {
  bucket: string;
  name: string;
  upsert: boolean;
  /** The `sub` of the uploader. */
  ownerId: string | undefined;
  /** Metadata of the uploader, for policies and clients. */
  metadata?: Record<string, unknown> | undefined;
  /** Kind of uploader; `person` by default. */
  by?: Uploader | undefined;
};

export type ObjectMetadata = {
  eTag: string;
  size: number;
  mimetype: string;
  /** Value of the Cache-Control header: `max-age=3600`. */
  cacheControl: string;
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
};

export type StoredFile = {
  id: string;
  bucket: string;
  name: string;
  version: string;
  metadata: ObjectMetadata;
};

/**
 * Checks before an upload whether the caller may write the object: inserts its row and rolls back.
 * @param declared type and size of the file, if they are known already
 * @returns the bucket's rules for uploads
 * @throws StorageError, or errors of the database
 */
export async function checkUploadAllowed(
  storage: Storage,
  caller: StorageCaller,
  destination: Destination,
  declared: { contentType?: string | undefined; size?: number | undefined } = {},
): Promise<BucketRules> {
  checkObjectName(destination.name);
  const rules = await readBucketRules(storage, destination.bucket);
  if (declared.size !== undefined && declared.size > rules.sizeLimit) throw entityTooLarge();
  if (declared.contentType !== undefined) checkDeclaredType(declared.contentType, rules.allowedTypes);
  const metadata = { mimetype: declared.contentType, size: declared.size, contentLength: declared.size };
  await dryRunAsCaller(storage, caller, (transaction) =>
    writeRow(transaction, destination, { id: randomUUID(), version: randomUUID(), metadata }),
  );
  return rules;
}

/**
 * Checks a file against the bucket's rules, moves it and writes its row with the caller's rights.
 * @param path of the file, on the disk of `storage.files.uploadsFolder`; it still exists after an error
 * @throws StorageError, or errors of the database
 */
export async function storeFile(
  storage: Storage,
  caller: StorageCaller,
  destination: Destination & { contentType: string; cacheControl: string },
  path: string,
): Promise<StoredFile> {
  checkObjectName(destination.name);
  const { sizeLimit, allowedTypes } = await readBucketRules(storage, destination.bucket);
  const { size, eTag } = await sizeAndETag(path);
  if (size > sizeLimit) throw entityTooLarge();
  const mimetype = await detectContentType(path, destination.contentType);
  checkAllowedType(mimetype, allowedTypes);
  return storeCheckedFile(
    storage,
    caller,
    destination,
    { eTag, size, mimetype, cacheControl: destination.cacheControl },
    path,
  );
}

/** Metadata of a file. */
type FileMetadata = Pick<ObjectMetadata, 'eTag' | 'size' | 'mimetype' | 'cacheControl'>;

/**
 * Moves a file that has passed the bucket's rules, and writes its row with the caller's rights.
 * @param path of the file, on the disk of `storage.files.uploadsFolder`; it still exists after a rejection
 * @throws StorageError, or errors of the database
 */
export async function storeCheckedFile(
  storage: Storage,
  caller: StorageCaller,
  destination: Destination,
  fileMetadata: FileMetadata,
  path: string,
): Promise<StoredFile> {
  const lastModified = new Date().toISOString();
  const metadata = { ...fileMetadata, lastModified, contentLength: fileMetadata.size, httpStatusCode: 200 };
  const { files } = storage;
  const version = await files.store(path, destination.by ?? 'person');
  try {
    const { id, replaced } = await replaceRow(storage, caller, destination, { version, metadata });
    await files.delete([replaced]);
    return { id, bucket: destination.bucket, name: destination.name, version, metadata };
  } catch (error) {
    if (isRejection(error)) await files.undoStore(version, path);
    throw error;
  }
}

/**
 * Whether an error means that the row was not written. After a lost connection or an ended database thread the row may
 * have been committed: then its file must stay. The sweep deletes the file if there is no row.
 */
const isRejection = (error: unknown) =>
  error instanceof StorageError || (isDatabaseError(error) && !isTimeoutError(error));

type Row = { id: string; version: string; metadata: Partial<ObjectMetadata> };

/**
 * Inserts or replaces the row of an object with the caller's rights.
 * @returns the row's id, and the version that was replaced
 */
function replaceRow(
  storage: Storage,
  caller: StorageCaller,
  destination: Destination,
  row: Omit<Row, 'id'>,
): Promise<{ id: string; replaced: string | null }> {
  return storage.db.transaction().execute(async (transaction) => {
    const existing = await lockObjectName(transaction, destination);
    await applyCaller(storage, caller, transaction);
    const id = randomUUID();
    await writeRow(transaction, destination, { ...row, id });
    return { id: existing?.id ?? id, replaced: existing?.version ?? null };
  });
}

/**
 * Locks a name until the transaction ends. Call this as the owner of the database, before `applyCaller`.
 * @returns id and version of the object with this name; undefined if there is none
 */
export async function lockObjectName(
  transaction: Transaction<unknown>,
  { bucket, name }: Pick<Destination, 'bucket' | 'name'>,
): Promise<{ id: string; version: string | null } | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${bucket}/${name}`}, 0))`.execute(transaction);
  const { rows } = await sql<{ id: string; version: string | null }>`
    select id, version from storage.objects where bucket_id = ${bucket} and name = ${name}
    for update`.execute(transaction);
  return rows[0];
}

/** Inserts or replaces a row. Returns no columns, because an uploader may lack the right to select. */
async function writeRow(
  transaction: Transaction<unknown>,
  { bucket, name, upsert, ownerId, metadata: userMetadata }: Destination,
  { id, version, metadata }: Row,
): Promise<void> {
  const owner = ownerId !== undefined && isUuid(ownerId) ? ownerId : null;
  const replaceExisting = sql`on conflict (bucket_id, name) do update set owner = excluded.owner,
    owner_id = excluded.owner_id, version = excluded.version, metadata = excluded.metadata,
    user_metadata = excluded.user_metadata`;
  await sql`
    insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (${id}, ${bucket}, ${name}, ${owner}, ${ownerId ?? null}, ${version}, ${JSON.stringify(metadata)}::jsonb,
      ${JSON.stringify(userMetadata ?? {})}::jsonb)
    ${upsert ? replaceExisting : sql``}`.execute(transaction);
}

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

export const OBJECT_COLUMNS: RawBuilder<unknown> = sql`id, bucket_id, name, owner, owner_id, version, created_at, updated_at,
  last_accessed_at, metadata, user_metadata`;

/**
 * Returns an object.
 * @throws StorageError if there is no such object, or the caller may not see it
 */
export async function findObject(
  storage: Storage,
  caller: StorageCaller,
  { bucket, name }: { bucket: string; name: string },
): Promise<StoredObject> {
  checkObjectName(name);
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<StoredObject>`select ${OBJECT_COLUMNS} from storage.objects
      where bucket_id = ${bucket} and name = ${name}`.execute(transaction),
  );
  if (rows[0]) return withUtcTimes(rows[0]);
  // Throws "Bucket not found" if the bucket itself is missing.
  await readBucketRules(storage, bucket);
  throw objectNotFound();
}
