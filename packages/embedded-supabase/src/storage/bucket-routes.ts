import { type Context, Hono } from 'hono';
import { sql } from 'kysely';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import {
  type BucketSettings,
  createBucket,
  findBucket,
  listBuckets,
  parseDecimalSize,
  readBucketRules,
  updateBucket,
} from './buckets.ts';
import { allowedType } from './content-type.ts';
import { readInteger, readJson, readString, requestCaller, runAsCaller, type Storage } from './context.ts';
import {
  accessDenied,
  bucketExists,
  bucketNotFound,
  entityTooLarge,
  invalidRequest,
  notSupported,
  StorageError,
} from './errors.ts';
import { checkBucketName } from './names.ts';
import { deleteObjects } from './rearrange.ts';

const SORTS = ['id', 'name', 'created_at', 'updated_at'] as const;

/**
 * Creates the routes under `/bucket`. Policies on storage.buckets decide which buckets a caller may see or change.
 * Without policies, only the secret key has access.
 */
export function bucketRoutes(
  context: Pick<GatewayContext, 'tokens'>,
  storage: Storage,
): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  const callerFor = (c: Context<RequestVariables>, operation: string) =>
    requestCaller(c, context, `storage.bucket.${operation}`);

  routes.get('/', async (c) => {
    const query = c.req.query();
    const column = SORTS.find((sort) => sort === c.req.query('sortColumn')) ?? 'name';
    const buckets = await listBuckets(storage, await callerFor(c, 'list'), {
      search: c.req.query('search') ?? '',
      limit: readInteger(query, 'limit', { min: 1, max: 1000, fallback: 1000 }),
      offset: readInteger(query, 'offset', { min: 0, max: 2 ** 31 - 1, fallback: 0 }),
      column,
      descending: c.req.query('sortOrder') === 'desc',
    });
    return c.json(buckets);
  });
  routes.post('/', async (c) => {
    const body = await readJson(c);
    const name = readString(body, 'name');
    const id = body.id === undefined ? name : readString(body, 'id');
    checkBucketName(id);
    checkBucketName(name);
    const settings = readSettings(body, storage.fileSizeLimit);
    await createBucket(storage, await callerFor(c, 'create'), { id, name, ...settings }).catch(throwExists);
    return c.json({ name });
  });
  routes.get('/:id', async (c) =>
    c.json(await findBucket(storage, await callerFor(c, 'get'), c.req.param('id'))),
  );
  routes.put('/:id', async (c) => {
    const settings = readSettings(await readJson(c), storage.fileSizeLimit);
    await updateBucket(storage, await callerFor(c, 'update'), c.req.param('id'), settings);
    return c.json({ message: 'Successfully updated' });
  });
  routes.post('/:id/empty', async (c) => {
    const caller = await callerFor(c, 'empty');
    const { id } = await findBucket(storage, caller, c.req.param('id'));
    await deleteObjects(storage, caller, id, undefined);
    return c.json({ message: 'Successfully emptied' });
  });
  routes.delete('/:id', async (c) => {
    const caller = await callerFor(c, 'delete');
    const { id } = await findBucket(storage, caller, c.req.param('id'));
    const result = await runAsCaller(storage, caller, (transaction) =>
      sql`delete from storage.buckets where id = ${id}`.execute(transaction),
    ).catch(throwNotEmpty);
    if (!result.numAffectedRows) throw bucketNotFound();
    return c.json({ message: 'Successfully deleted' });
  });
  routes.all('/:id/lifecycle', () => {
    throw notSupported('object versioning');
  });
  return routes;
}

/**
 * Creates the routes under `/cdn`, which purge the CDN of a hosted project. The backend caches no files, so they only
 * check the request and report success.
 */
export function purgeRoutes(
  context: Pick<GatewayContext, 'tokens'>,
  storage: Storage,
): Hono<RequestVariables> {
  return new Hono<RequestVariables>().delete('/:bucket/*', async (c) => {
    const { claims } = await requestCaller(c, context, 'storage.object.purge_cache');
    if (claims.role !== 'service_role') throw accessDenied('Access denied');
    await readBucketRules(storage, c.req.param('bucket'));
    return c.json({ message: 'success' });
  });
}

function throwExists(error: unknown): never {
  throw (error as { code?: unknown }).code === '23505' ? bucketExists() : error;
}

function throwNotEmpty(error: unknown): never {
  if ((error as { code?: unknown }).code !== '23503') throw error;
  throw new StorageError(409, 'ResourceNotEmpty', 'The bucket you tried to delete is not empty');
}

function readSettings(body: Record<string, unknown>, maxBytes: number): BucketSettings {
  if (body.type === 'ANALYTICS') throw notSupported('analytics buckets');
  if (body.type !== undefined && body.type !== 'STANDARD') {
    throw invalidRequest('body/type must be equal to one of the allowed values');
  }
  if (body.versioning_status === 'ENABLED') throw notSupported('object versioning');
  return {
    public: readBoolean(body.public),
    file_size_limit: readLimit(body.file_size_limit, maxBytes),
    allowed_mime_types: readTypes(body.allowed_mime_types),
  };
}

function readBoolean(value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw invalidRequest('body/public must be boolean');
}

function readLimit(value: unknown, maxBytes: number): number | null | undefined {
  if (value === undefined || value === null) return value;
  const size = typeof value === 'number' ? value : parseDecimalSize(String(value));
  if (size === undefined || !Number.isInteger(size) || size < 0) {
    throw invalidRequest('Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B');
  }
  if (size > maxBytes) throw entityTooLarge();
  return size;
}

function readTypes(value: unknown): string[] | null | undefined {
  if (value === undefined || value === null) return value;
  if (!Array.isArray(value)) throw invalidRequest('body/allowed_mime_types must be array');
  return [...new Set(value.map((type) => allowedType(String(type))))];
}
