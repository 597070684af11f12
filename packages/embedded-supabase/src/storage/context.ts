import { createHmac } from 'node:crypto';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { errors, jwtVerify, SignJWT } from 'jose';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type GatewayContext, KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import { isNestedTooDeep } from '../gateway/json-body.ts';
import { bearerToken, requestAddress, SERVER_TOKEN_HEADER } from '../gateway/rate-limits.ts';
import type { HttpContext, RequestContext } from '../gateway/request-context.ts';
import { gatewayError, withRetryAfter } from '../gateway/responses.ts';
import { apiKeyTypeOf, type Keys } from '../keys.ts';
import { rateLimitByClient, requestCallerClass, semaphoreByClient } from '../rest/caller-class.ts';
import type { Claims } from '../tokens.ts';
import { invalidRequest, StorageError, storageErrorResponse, unsupportedMediaType } from './errors.ts';
import type { Files } from './files.ts';
import { parseObjectPath } from './names.ts';

/** Context of the object routes. */
export type StorageContext = {
  context: Pick<GatewayContext, 'tokens'>;
  storage: Storage;
  signatures: Signatures;
};

/** Dependencies that all modules of Storage share. */
export type Storage = {
  db: Kysely<unknown>;
  requestContext: RequestContext;
  files: Files;
  /** Maximum bytes of any object, even if its bucket allows more. */
  fileSizeLimit: number;
};

/** Permission of a signed URL. */
type Permit = {
  scope: 'download' | 'upload';
  /** Bucket and object name: `photos/incoming/1`. */
  url: string;
  /** Only for uploads: the `sub` of the object's owner, and whether the upload may replace an object. */
  owner?: string | undefined;
  upsert?: boolean | undefined;
};

export type Signatures = ReturnType<typeof openSignatures>;

/** Signs and verifies the tokens of signed URLs. */
export function openSignatures({ internal }: Pick<Keys, 'internal'>) {
  const secret = createHmac('sha256', internal).update('storage: signed addresses').digest();
  return {
    sign: (permit: Permit, seconds: number): Promise<string> =>
      new SignJWT({ ...permit })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt()
        .setExpirationTime(`${seconds}s`)
        .sign(secret),
    /** Returns the permission of a token. @throws StorageError if it has expired, or was signed for something else */
    async verify(token: string, scope: Permit['scope'], url: string): Promise<Permit & { exp: number }> {
      const { payload } = await jwtVerify<Permit & { exp: number }>(token, secret, {
        algorithms: ['HS256'],
        requiredClaims: ['exp', 'url', 'scope'],
      }).catch((error: unknown) => {
        if (!(error instanceof errors.JOSEError)) throw error;
        throw new StorageError(400, 'InvalidJWT', error.message);
      });
      if (payload.scope !== scope) throw invalidSignature(`Token is not scoped for ${scope}`);
      if (payload.url !== url) throw invalidSignature('Invalid signature');
      return payload;
    },
  };
}

const invalidSignature = (message: string) => new StorageError(400, 'InvalidSignature', message);

/** The caller of an operation. Policies can read all of its properties. */
export type StorageCaller = {
  claims: Claims;
  /** Result of `storage.operation()`: `storage.object.upload`, `storage.tus.upload.create`. */
  operation: string;
  http?: HttpContext;
};

/** Returns a caller with the service role, for public and signed URLs. */
export const serviceCaller = (operation: string): StorageCaller => ({
  claims: { role: 'service_role' },
  operation,
});

type Work<Result> = (transaction: Transaction<unknown>) => Promise<Result>;

/**
 * Runs statements with a caller's rights in one transaction. On PGlite all other requests wait.
 * @throws errors of the database
 */
export function runAsCaller<Result>(
  storage: Storage,
  caller: StorageCaller,
  work: Work<Result>,
): Promise<Result> {
  return storage.db.transaction().execute(async (transaction) => {
    await applyCaller(storage, caller, transaction);
    return work(transaction);
  });
}

/**
 * Runs statements with a caller's rights and rolls them back, to check whether they are allowed.
 * @throws errors of the database
 */
export async function dryRunAsCaller(
  storage: Storage,
  caller: StorageCaller,
  work: Work<unknown>,
): Promise<void> {
  const transaction = await storage.db.startTransaction().execute();
  try {
    await applyCaller(storage, caller, transaction);
    await work(transaction);
  } finally {
    await transaction.rollback().execute();
  }
}

/** Sets the caller's role, claims and operation for the rest of a transaction. */
export async function applyCaller(
  storage: Storage,
  caller: StorageCaller,
  transaction: Transaction<unknown>,
) {
  // Rows are deleted together with their files; the table requires this setting.
  await sql`select set_config('storage.operation', ${caller.operation}, true),
    set_config('storage.allow_delete_query', 'true', true)`.execute(transaction);
  await storage.requestContext.apply(transaction, caller.claims, caller.http);
}

const TIME_COLUMNS = ['created_at', 'updated_at', 'last_accessed_at'] as const;

/** Returns a row with its times as Storage writes them: in UTC with milliseconds and `Z`. */
export function withUtcTimes<Row extends Partial<Record<(typeof TIME_COLUMNS)[number], string | null>>>(
  row: Row,
): Row {
  const result = { ...row };
  for (const column of TIME_COLUMNS) {
    const time = row[column];
    if (time) result[column] = new Date(time).toISOString() as Row[typeof column];
  }
  return result;
}

/** Paths that need no API key: public and signed URLs. */
const KEYLESS_PATH =
  /^\/storage\/v1\/(object\/((info\/)?public|(upload\/)?sign)|render\/image\/(public|sign))\//;

/**
 * Creates middleware that requires an API key, a token instead of it (for resumable uploads), or a signed or public
 * URL. The token and the caller's rights are checked later.
 */
export const requireKeyOrSignedUrl = ({ keys }: Pick<GatewayContext, 'keys'>) =>
  createMiddleware<RequestVariables>(async (c, next) => {
    const key = c.req.header('apikey');
    const bearer = bearerToken(c.req.header('authorization'));
    const sentKey = key ?? bearer;
    const keyType = sentKey === undefined ? undefined : apiKeyTypeOf(keys, sentKey);
    const needsNoKey = KEYLESS_PATH.test(c.req.path) && c.req.method !== 'POST';
    if (key !== undefined && !keyType && !needsNoKey) {
      return gatewayError('Invalid API key', 'Double check your Supabase `apikey`.');
    }
    if (sentKey === undefined && !needsNoKey) {
      return gatewayError('No API key found in request', 'No `apikey` request header was found.');
    }
    c.set('apiKeyType', keyType ?? 'publishable');
    c.set('token', bearer !== undefined && apiKeyTypeOf(keys, bearer) ? undefined : bearer);
    c.set('address', requestAddress(c, keys));
    return next();
  });

/**
 * Returns the caller of a request, for policies.
 * @throws InvalidTokenError if the token is not valid
 */
export async function requestCaller(
  c: Context<RequestVariables>,
  { tokens }: Pick<GatewayContext, 'tokens'>,
  operation: string,
): Promise<StorageCaller> {
  const token = c.get('token');
  const claims = token ? await tokens.verify(token) : KEY_CLAIMS[c.get('apiKeyType')];
  const { method, path } = c.req;
  const { [SERVER_TOKEN_HEADER]: _, ...requestHeaders } = c.req.header();
  return {
    claims,
    operation,
    http: { method, path, readOnly: false, requestHeaders },
  };
}

/** Returns the bucket and object name in the URL after a route. @param route such as `/object/public/` */
export const requestObjectPath = (c: Context<RequestVariables>, route: string) =>
  parseObjectPath(new URL(c.req.url).pathname.slice('/storage/v1'.length + route.length));

/** Returns true if the request may replace an existing object. */
export const isUpsert = (c: Context<RequestVariables>) => c.req.header('x-upsert') === 'true';

/** Types of a JSON body. Clients that set no type send text/plain. */
const JSON_TYPE = /^(?:application\/json|text\/plain)\s*(?:;|$)/i;

/**
 * Parses a body that is a JSON object.
 * @throws StorageError if the body is something else, or has another type
 */
export async function readJson(c: Context<RequestVariables>): Promise<Record<string, unknown>> {
  const type = c.req.header('content-type')?.trim();
  if (type && !JSON_TYPE.test(type)) throw unsupportedMediaType();
  const body: unknown = await c.req.json().catch(() => undefined);
  if (isObject(body)) return body;
  throw invalidRequest('The body must be a JSON object.');
}

/** Parses the metadata of a file. @returns undefined if it is not a JSON object, or is nested too deeply */
export function parseMetadata(json: string): Record<string, unknown> | undefined {
  if (isNestedTooDeep(Buffer.from(json))) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a string of a body. @throws StorageError if it is missing or not a string */
export function readString(body: Record<string, unknown>, key: string): string {
  const value = body[key];
  if (typeof value === 'string') return value;
  throw invalidRequest(`body must have the property '${key}', a string`);
}

/**
 * Returns an integer of a body or query, also if it is written as text. Reduces larger values to `max`.
 * @param fallback value if the property is missing
 * @throws StorageError if the value is not an integer, or is below `min`
 */
export function readInteger(
  body: Record<string, unknown>,
  key: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
): number {
  const value = body[key] ?? fallback;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (Number.isInteger(number) && Number(number) >= min) return Math.min(Number(number), max);
  throw invalidRequest(`body/${key} must be a whole number from ${min}`);
}

/**
 * Concurrent uploads of one client network. A browser opens six connections to a host, and an office has several
 * browsers.
 */
const MAX_CONCURRENT_UPLOADS = 24;

export const slowDownResponse = (message: string) =>
  storageErrorResponse(new StorageError(429, 'SlowDown', message));

/**
 * Creates middleware that limits the requests of a client network, at the same rates as PostgREST requests. The
 * website's own requests and requests with the service role are not counted.
 */
export function limitRequests({ tokens }: Pick<GatewayContext, 'tokens'>) {
  const takeTokens = rateLimitByClient();
  return createMiddleware<RequestVariables>(async (c, next) => {
    const waitS = takeTokens(c.get('address'), await requestCallerClass(c.var, tokens));
    if (waitS > 0) return withRetryAfter(slowDownResponse('Wait a moment, then try again.'), waitS);
    return next();
  });
}

/**
 * Creates middleware that limits the concurrent uploads of a client network. Each upload holds a connection and a file.
 * @param maxConcurrent concurrent uploads
 */
export function limitUploads(maxConcurrent = MAX_CONCURRENT_UPLOADS) {
  const semaphoreOf = semaphoreByClient(maxConcurrent);
  return createMiddleware<RequestVariables>(async (c, next) => {
    const address = c.get('address');
    if (!address) return next();
    const semaphore = semaphoreOf(address);
    if (semaphore.isLocked())
      return slowDownResponse('Too many uploads are under way. Let one finish first.');
    return semaphore.runExclusive(() => next());
  });
}
