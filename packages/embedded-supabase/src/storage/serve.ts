import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { create } from 'content-disposition';
import { type Context, Hono } from 'hono';
import { sql } from 'kysely';
import type { RequestVariables } from '../gateway/context.ts';
import { readBucketRules } from './buckets.ts';
import { responseContentType } from './content-type.ts';
import {
  readInteger,
  readJson,
  requestCaller,
  requestObjectPath,
  runAsCaller,
  type Storage,
  type StorageCaller,
  type StorageContext,
  serviceCaller,
} from './context.ts';
import {
  bucketNotFound,
  notSupported,
  objectNotFound,
  StorageError,
  storageErrorResponse,
} from './errors.ts';
import { readObjectNames, requireNoVersion } from './names.ts';
import { findObject, type StoredObject } from './objects.ts';
import { throwObjectNotFound } from './rearrange.ts';

/** Cache and embedding headers of a response. */
type ServeOptions = {
  /** Pages of other origins may embed it: it is public, or its URL is signed. */
  embeddable: boolean;
  /** When the signed URL expires. Caches must not keep the response for longer. */
  expires?: Date;
};

/**
 * Responds with an object: the whole file, the requested range, or 304 if the client has the file already. Responds
 * with 412 or 416 if a condition or range does not fit the object.
 * @throws StorageError if the object has no file
 */
async function serveObject(
  c: Context<RequestVariables>,
  storage: Storage,
  object: StoredObject,
  options: ServeOptions,
): Promise<Response> {
  const { version, metadata } = object;
  if (!version || !metadata) throw objectNotFound();
  if (!matchesPrecondition(c, metadata)) {
    throw new StorageError(412, 'PreconditionFailed', 'The object is another by now', undefined, 412);
  }
  const headers = headersOf(c, object, options);
  if (isNotModified(c, metadata)) return new Response(null, { status: 304, headers });

  const file = await storage.files.open(version).catch(throwObjectNotFound);
  const range = readRange(c, metadata);
  if (range === 'none') {
    await file.close();
    const refusal = new StorageError(416, 'InvalidRange', 'invalid range provided', 'invalid_range', 416);
    const response = storageErrorResponse(refusal);
    response.headers.set('content-range', `bytes */${metadata.size}`);
    return response;
  }
  const { start, end } = range ?? { start: 0, end: metadata.size - 1 };
  headers.set('content-length', String(end - start + 1));
  if (range) headers.set('content-range', `bytes ${start}-${end}/${metadata.size}`);
  const status = range ? 206 : 200;
  if (c.req.method === 'HEAD' || metadata.size === 0) {
    await file.close();
    return new Response(null, { status, headers });
  }
  return new Response(bytesOf(file, start, end), { status, headers });
}

/** Returns a range of a file as a stream. The stream closes the file at its end, or when the client disconnects. */
const bytesOf = (file: FileHandle, start: number, end: number) =>
  Readable.toWeb(file.createReadStream({ start, end })) as ReadableStream<Uint8Array>;

function headersOf(
  c: Context<RequestVariables>,
  { name, metadata }: StoredObject,
  { embeddable, expires }: ServeOptions,
): Headers {
  const { type, attachment } = responseContentType(metadata?.mimetype ?? '');
  const headers = new Headers({
    'content-type': type,
    etag: metadata?.eTag ?? '',
    'last-modified': new Date(metadata?.lastModified ?? 0).toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': embeddable ? 'cross-origin' : 'same-origin',
    'cache-control': metadata?.cacheControl ?? 'no-cache',
  });
  if (expires) {
    headers.delete('cache-control');
    headers.set('expires', expires.toUTCString());
  }
  const downloadName = c.req.query('download');
  if (downloadName !== undefined || attachment) {
    headers.set('content-disposition', create(downloadName || (name.split('/').at(-1) ?? name)));
  }
  return headers;
}

type StoredMetadata = NonNullable<StoredObject['metadata']>;

/** Returns true if the object meets the If-Match condition, or there is none (RFC 9110, 13.1.1). */
function matchesPrecondition(c: Context<RequestVariables>, { eTag }: StoredMetadata): boolean {
  const tags = c.req.header('if-match');
  return tags === undefined || tags.split(',').some((tag) => ['*', eTag].includes(tag.trim()));
}

/**
 * Returns true if the client has this version already, by If-None-Match or else If-Modified-Since (RFC 9110, 13.1.2 and
 * 13.1.3).
 */
function isNotModified(c: Context<RequestVariables>, { eTag, lastModified }: StoredMetadata): boolean {
  const tags = c.req.header('if-none-match');
  if (tags !== undefined) {
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === eTag);
  }
  const modifiedSince = Date.parse(c.req.header('if-modified-since') ?? '');
  // Dates in HTTP headers have a precision of one second.
  return Math.floor(Date.parse(lastModified) / 1000) * 1000 <= modifiedSince;
}

/**
 * Returns the requested byte range (RFC 9110, 14.2). For several ranges the whole file is served.
 * @returns undefined for the whole file, 'none' for an unsatisfiable range
 */
function readRange(
  c: Context<RequestVariables>,
  { eTag, size }: StoredMetadata,
): { start: number; end: number } | 'none' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(c.req.header('range')?.trim() ?? '');
  const condition = c.req.header('if-range');
  if (!match || (condition !== undefined && condition !== eTag)) return undefined;
  const [from = '', to = ''] = match.slice(1);
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return start < size && start <= end ? { start, end } : 'none';
}

/** Creates the routes that return objects and their metadata. Policies decide, except for public buckets. */
export function downloadRoutes({ context, storage }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();

  const publicObject = async (c: Context<RequestVariables>, route: string, operation: string) => {
    const target = requestObjectPath(c, route);
    // A private bucket is reported as missing.
    if (!(await readBucketRules(storage, target.bucket)).public) throw bucketNotFound();
    return findObject(storage, serviceCaller(operation), target);
  };
  routes.get('/public/*', async (c) => {
    const object = await publicObject(c, '/object/public/', 'storage.object.get_public');
    return serveObject(c, storage, object, { embeddable: true });
  });
  routes.get('/info/public/*', async (c) =>
    infoResponse(await publicObject(c, '/object/info/public/', 'storage.object.info_public')),
  );

  const callerObject = async (c: Context<RequestVariables>, route: string, operation: string) => {
    requireNoVersion(c.req.query('versionId') === undefined);
    const target = requestObjectPath(c, route);
    const caller = await requestCaller(c, context, operation);
    const { public: isPublic } = await readBucketRules(storage, target.bucket);
    return findObject(storage, isPublic ? serviceCaller(operation) : caller, target);
  };
  for (const route of ['/info/authenticated/', '/info/'] as const) {
    routes.get(`${route}*`, async (c) =>
      infoResponse(await callerObject(c, `/object${route}`, 'storage.object.info_authenticated')),
    );
  }
  for (const route of ['/authenticated/', '/'] as const) {
    routes.get(`${route}:bucket/*`, async (c) => {
      const object = await callerObject(c, `/object${route}`, 'storage.object.get_authenticated');
      return serveObject(c, storage, object, { embeddable: false });
    });
  }
  return routes;
}

/** Returns the metadata of an object, with the ETag of the object itself as a header. */
function infoResponse(object: StoredObject): Response {
  const { id, name, version, bucket_id, metadata, user_metadata, created_at, updated_at } = object;
  const info = {
    id,
    name,
    version,
    bucket_id,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: user_metadata ?? {},
    last_modified: updated_at,
    created_at,
    updated_at,
  };
  return Response.json(info, metadata ? { headers: { etag: metadata.eTag } } : {});
}

/** Allowed lifetimes in seconds: ten years at most. There is no default, because 0 is below the minimum. */
const EXPIRY_LIMITS_S = { min: 1, max: 10 * 365 * 24 * 60 * 60, fallback: 0 };

/** Creates the routes that sign URLs with an expiry time, and that serve signed URLs. */
export function signedUrlRoutes({ context, storage, signatures }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  const signedPath = async (url: string, seconds: number) =>
    `/object/sign/${url}?token=${await signatures.sign({ scope: 'download', url }, seconds)}`;

  routes.get('/sign/*', async (c) => {
    const { bucket, name } = requestObjectPath(c, '/object/sign/');
    const { exp } = await signatures.verify(c.req.query('token') ?? '', 'download', `${bucket}/${name}`);
    // The signer's rights were checked when the URL was signed.
    const object = await findObject(storage, serviceCaller('storage.object.get_signed'), { bucket, name });
    return serveObject(c, storage, object, { embeddable: true, expires: new Date(exp * 1000) });
  });

  routes.post('/sign/:bucket', async (c) => {
    const body = await readJson(c);
    const seconds = readInteger(body, 'expiresIn', EXPIRY_LIMITS_S);
    const caller = await requestCaller(c, context, 'storage.object.sign_many');
    const [bucket, names] = [c.req.param('bucket'), readObjectNames(body.paths)];
    const visibleNames = await findVisible(storage, caller, bucket, names);
    const results = names.map(async (path) =>
      visibleNames.has(path)
        ? { error: null, path, signedURL: await signedPath(`${bucket}/${path}`, seconds) }
        : {
            error: 'Either the object does not exist or you do not have access to it',
            path,
            signedURL: null,
          },
    );
    return c.json(await Promise.all(results));
  });

  routes.post('/sign/:bucket/*', async (c) => {
    const body = await readJson(c);
    if (body.transform !== undefined) throw notSupported('image transformation');
    if (body.versionId !== undefined) throw notSupported('object versioning');
    const seconds = readInteger(body, 'expiresIn', EXPIRY_LIMITS_S);
    const caller = await requestCaller(c, context, 'storage.object.sign');
    const { bucket, name } = requestObjectPath(c, '/object/sign/');
    await findObject(storage, caller, { bucket, name });
    return c.json({ signedURL: await signedPath(`${bucket}/${name}`, seconds) });
  });
  return routes;
}

async function findVisible(
  storage: Storage,
  caller: StorageCaller,
  bucket: string,
  names: string[],
): Promise<Set<string>> {
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<{ name: string }>`select name from storage.objects where bucket_id = ${bucket}
      and name in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`.execute(transaction),
  );
  return new Set(rows.map(({ name }) => name));
}
