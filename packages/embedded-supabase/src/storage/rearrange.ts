import { type Context, Hono } from 'hono';
import { sql } from 'kysely';
import type { RequestVariables } from '../gateway/context.ts';
import { readBucketRules } from './buckets.ts';
import { checkAllowedType, detectContentType } from './content-type.ts';
import {
  applyCaller,
  isUpsert,
  readJson,
  readString,
  requestCaller,
  requestObjectPath,
  runAsCaller,
  type Storage,
  type StorageCaller,
  type StorageContext,
  withUtcTimes,
} from './context.ts';
import { entityTooLarge, notSupported, objectNotFound } from './errors.ts';
import { checkObjectName, readObjectNames, requireNoVersion } from './names.ts';
import {
  checkUploadAllowed,
  type Destination,
  findObject,
  lockObjectName,
  OBJECT_COLUMNS,
  type ObjectMetadata,
  type StoredFile,
  type StoredObject,
  storeCheckedFile,
} from './objects.ts';
import { checkHeaderValue, readMetadataHeader } from './uploads.ts';

type ObjectPath = { bucket: string; name: string };

/**
 * Renames an object, or moves it to another bucket. Its file stays where it is.
 * @throws StorageError, or errors of the database
 */
async function moveObject(
  storage: Storage,
  caller: StorageCaller,
  from: ObjectPath,
  to: ObjectPath,
): Promise<{ id: string }> {
  checkObjectName(to.name);
  const source = await findObject(storage, caller, from);
  if (source.metadata) await checkRules(storage, to, source.metadata);
  const moverId = caller.claims.sub;
  const changed = await storage.db.transaction().execute(async (transaction) => {
    await lockObjectName(transaction, from);
    await applyCaller(storage, caller, transaction);
    return sql`update storage.objects set name = ${to.name}, bucket_id = ${to.bucket},
        owner_id = coalesce(${moverId ?? null}, owner_id), owner = coalesce(auth.uid(), owner)
      where bucket_id = ${from.bucket} and name = ${from.name}`.execute(transaction);
  });
  if (!changed.numAffectedRows) throw objectNotFound();
  return { id: source.id };
}

/** Metadata of a copy. Undefined keeps the value of the source, except for the metadata of the uploader. */
type CopyOptions = {
  mimetype: string | undefined;
  cacheControl: string | undefined;
  userMetadata: Record<string, unknown> | undefined;
};

/**
 * Copies an object.
 * @param options replaces the metadata of the source
 * @throws StorageError, or errors of the database
 */
async function copyObject(
  storage: Storage,
  caller: StorageCaller,
  from: ObjectPath,
  to: Destination,
  options?: CopyOptions,
): Promise<StoredFile> {
  const source = await findObject(storage, caller, from);
  const { metadata } = source;
  if (!source.version || !metadata) throw objectNotFound();
  const { size, eTag } = metadata;
  const userMetadata = options ? options.userMetadata : (source.user_metadata ?? undefined);
  const destination = { ...to, metadata: userMetadata };
  await checkUploadAllowed(storage, caller, destination, { contentType: metadata.mimetype, size });
  const uploadFile = await storage.files.copy(source.version).catch(throwObjectNotFound);
  try {
    const mimetype =
      options?.mimetype === undefined
        ? metadata.mimetype
        : await detectContentType(uploadFile.path, options.mimetype);
    await checkRules(storage, to, { mimetype, size });
    const cacheControl = options?.cacheControl ?? metadata.cacheControl;
    return await storeCheckedFile(
      storage,
      caller,
      destination,
      { mimetype, size, eTag, cacheControl },
      uploadFile.path,
    );
  } finally {
    await uploadFile.discard();
  }
}

/** Converts ENOENT to a StorageError: the object was deleted or replaced meanwhile. Rethrows other errors. */
export function throwObjectNotFound(error: unknown): never {
  throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? objectNotFound() : error;
}

async function checkRules(
  storage: Storage,
  { bucket }: ObjectPath,
  { mimetype, size }: Pick<ObjectMetadata, 'mimetype' | 'size'>,
): Promise<void> {
  const { sizeLimit, allowedTypes } = await readBucketRules(storage, bucket);
  if (size > sizeLimit) throw entityTooLarge();
  checkAllowedType(mimetype, allowedTypes);
}

/**
 * Deletes the objects that the caller may delete, and returns them.
 * @param names undefined for all objects of the bucket
 */
export async function deleteObjects(
  storage: Storage,
  caller: StorageCaller,
  bucket: string,
  names: string[] | undefined,
): Promise<StoredObject[]> {
  const nameFilter = names
    ? sql`and name in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`
    : sql``;
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<StoredObject>`delete from storage.objects where bucket_id = ${bucket} ${nameFilter}
      returning ${OBJECT_COLUMNS}`.execute(transaction),
  );
  await storage.files.delete(rows.map(({ version }) => version));
  return rows.map(withUtcTimes);
}

/** Creates the routes that move, copy and delete objects. */
export function moveCopyDeleteRoutes({ context, storage }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();

  routes.post('/move', async (c) => {
    const { from, to } = readPaths(await readJson(c));
    const { id } = await moveObject(
      storage,
      await requestCaller(c, context, 'storage.object.move'),
      from,
      to,
    );
    return c.json({ message: 'Successfully moved', Id: id, Key: to.name });
  });
  routes.post('/copy', async (c) => {
    const body = await readJson(c);
    const paths = readPaths(body);
    const caller = await requestCaller(c, context, 'storage.object.copy');
    const to = { ...paths.to, upsert: isUpsert(c), ownerId: caller.claims.sub };
    const options = body.copyMetadata === false ? readCopyOptions(c, body.metadata) : undefined;
    const { id, bucket, name, metadata } = await copyObject(storage, caller, paths.from, to, options);
    return c.json({ Id: id, Key: `${bucket}/${name}`, name, metadata });
  });

  routes.delete('/:bucket', async (c) => {
    const caller = await requestCaller(c, context, 'storage.object.delete_many');
    const { prefixes } = await readJson(c);
    return c.json(await deleteObjects(storage, caller, c.req.param('bucket'), readObjectNames(prefixes)));
  });
  routes.delete('/:bucket/*', async (c) => {
    const caller = await requestCaller(c, context, 'storage.object.delete');
    const { bucket, name } = requestObjectPath(c, '/object/');
    checkObjectName(name);
    const removed = await deleteObjects(storage, caller, bucket, [name]);
    if (removed.length === 0) throw objectNotFound();
    return c.json({ message: 'Successfully deleted' });
  });
  return routes;
}

function readPaths(body: Record<string, unknown>) {
  requireNoVersion(body.sourceVersionId === undefined);
  const bucket = readString(body, 'bucketId');
  const destinationBucket =
    body.destinationBucket === undefined ? bucket : readString(body, 'destinationBucket');
  return {
    from: { bucket, name: readString(body, 'sourceKey') },
    to: { bucket: destinationBucket, name: readString(body, 'destinationKey') },
  };
}

function readCopyOptions(c: Context<RequestVariables>, value: unknown): CopyOptions {
  const { mimetype, cacheControl, contentEncoding } = (value ?? {}) as Record<string, unknown>;
  if (contentEncoding) throw notSupported('content encoding');
  return {
    mimetype: typeof mimetype === 'string' ? mimetype : undefined,
    cacheControl: typeof cacheControl === 'string' ? checkHeaderValue(cacheControl) : undefined,
    userMetadata: readMetadataHeader(c.req.raw.headers),
  };
}
