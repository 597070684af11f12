import { link, rm } from 'node:fs/promises';
import { ERRORS, EVENTS, Server, type Upload } from '@tus/server';
import { Hono } from 'hono';
import { sql } from 'kysely';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { requestAddress } from '../gateway/rate-limits.ts';
import { logError } from '../gateway/responses.ts';
import { runHourly } from '../timers.ts';
import { readBucketRules } from './buckets.ts';
import {
  limitRequests,
  limitUploads,
  parseMetadata,
  requestCaller,
  requireKeyOrSignedUrl,
  type Signatures,
  type Storage,
  type StorageCaller,
  serviceCaller,
} from './context.ts';
import { accessDenied, asStorageError, invalidRequest, StorageError } from './errors.ts';
import { sizeAndETag, type Uploader } from './files.ts';
import { checkUploadAllowed, storeFile } from './objects.ts';
import { openUploadLocks, type ResumableUpload, ResumableUploadStore } from './resumable-uploads.ts';

/*
 * Resumable uploads: TUS 1.0 by @tus/server, with the paths, messages and headers of a hosted project.
 */

/** The client that sends an upload. */
type UploadClient = {
  by: Uploader;
  /** Maximum number of unfinished uploads of this owner. Each may grow to the size limit of its bucket. */
  maxUnfinished: number;
  /**
   * Returns the owner of an upload to a path, the `sub` of the object's owner, and whether it may replace an object.
   * @throws StorageError if the signature is for another path, or has expired
   */
  permit(to: ObjectPath): Promise<Permit>;
  as(operation: string): StorageCaller;
};

type ObjectPath = { bucket: string; name: string };

type Permit = { owner: string; ownerId: string | undefined; upsert: boolean };

type ResumableUploads = Awaited<ReturnType<typeof openResumableUploads>>;

const PATH = '/storage/v1/upload/resumable';

/** Request headers that supabase-js and Supabase's documentation send, in addition to those of TUS. */
const REQUEST_HEADERS = ['apikey', 'x-client-info', 'x-request-id', 'x-signature', 'x-upsert'];

/** Shortest interval at which @tus/server reports received bytes. */
const PROGRESS_INTERVAL_MS = 500;

const UPLOAD_ID = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Operations that policies may read. */
const READ_OPERATION = 'storage.tus.upload.get';
const WRITE_OPERATION = 'storage.tus.upload.part';

const tooManyUploads = () =>
  new StorageError(429, 'SlowDown', 'Too many uploads are under way. Finish or cancel one first.');

/**
 * Opens the service for resumable uploads.
 * @param folder for unfinished uploads: on the disk of the files, and in no backup
 */
export async function openResumableUploads(storage: Storage, folder: string) {
  const uploads = await ResumableUploadStore.open(folder);
  const locks = openUploadLocks();
  const clients = new WeakMap<Request, UploadClient>();
  const newUploadIds = new WeakMap<Request, string>();
  const complete = completeUploads(storage, uploads);
  const { diskSpace } = storage.files;
  diskSpace.includeReservations(() => uploads.reservedBytes);

  const clientOf = (request: Request): UploadClient => {
    const client = clients.get(request);
    if (!client) throw accessDenied();
    return client;
  };

  /** Checks a new upload and reserves its space. @returns its id */
  async function createUpload(request: Request, metadata: Upload['metadata'] = {}): Promise<string> {
    const client = clientOf(request);
    const { bucketName: bucket, objectName: name, contentType } = metadata;
    if (!bucket || !name) throw invalidRequest('Upload-Metadata must hold bucketName and objectName.');
    const destination = { bucket, name, ...(await client.permit({ bucket, name })) };
    const length = request.headers.get('upload-length');
    const size = length === null ? undefined : Number(length);
    const { sizeLimit } = await readBucketRules(storage, bucket);
    const declared = { contentType: contentType ?? undefined, size };
    await checkUploadAllowed(storage, client.as('storage.tus.upload.create'), destination, declared);
    const maxBytes = size ?? sizeLimit;
    await removeOldestUploads(destination.owner, client.maxUnfinished);
    const releaseSpace = await reserveSpace(maxBytes, client.by);
    const id = uploads.reserve({ ...destination, by: client.by, room: maxBytes });
    releaseSpace();
    newUploadIds.set(request, id);
    return id;
  }

  /**
   * Deletes the owner's oldest unfinished uploads when a new one exceeds the maximum. Their clients have probably given
   * up.
   * @throws StorageError if too many of them are receiving data
   */
  async function removeOldestUploads(owner: string, maxUploads: number): Promise<void> {
    const unfinished = uploads.unfinishedOf(owner);
    for (const { id } of unfinished.slice(0, Math.max(0, unfinished.length - maxUploads + 1))) {
      if (!locks.isBusy(id)) await uploads.remove(id);
    }
    if (uploads.unfinishedOf(owner).length >= maxUploads) throw tooManyUploads();
  }

  async function reserveSpace(bytes: number, uploader: Uploader): Promise<() => void> {
    try {
      return await diskSpace.reserve(bytes, uploader);
    } catch {
      await uploads.deleteEmptyUploads(locks.isBusy);
      return diskSpace.reserve(bytes, uploader);
    }
  }

  /** Checks whether the client may continue an upload. @throws StorageError, or an error of @tus/server */
  async function checkRequest(request: Request, id: string): Promise<void> {
    // Otherwise the client would assume that the server has verified the checksum.
    if (request.headers.has('upload-checksum')) throw invalidRequest('Upload-Checksum is not offered.');
    if (request.method === 'POST') return;
    const client = clientOf(request);
    const upload = uploads.find(id);
    if (!upload) throw ERRORS.FILE_NOT_FOUND;
    const { owner } = await client.permit(upload);
    if (upload.owner !== owner) throw ERRORS.FILE_NOT_FOUND;
    if (request.method === 'DELETE') return;
    if (upload.finished) {
      if (request.method !== 'HEAD') throw ERRORS.FILE_NO_LONGER_EXISTS;
      return;
    }
    // The upload has all its bytes. `completeMissingObject` checks the caller's rights when it writes the object.
    if (request.method === 'HEAD' && (await isComplete(id))) return;
    const { bucket, name, upsert, ownerId, metadata, size } = upload;
    await checkUploadAllowed(
      storage,
      client.as(request.method === 'HEAD' ? READ_OPERATION : WRITE_OPERATION),
      { bucket, name, upsert, ownerId },
      { contentType: metadata?.contentType ?? undefined, size },
    );
  }

  async function isComplete(id: string): Promise<boolean> {
    const { offset, size } = await uploads.getUpload(id);
    return offset === size;
  }

  /**
   * Completes an upload whose object is missing, because the process ended or the database failed after its last byte.
   */
  async function completeMissingObject(request: Request, tusResponse: Response): Promise<Response> {
    const upload = uploads.find(idOf(request) ?? '');
    if (!tusResponse.ok || !upload || upload.finished || !(await isComplete(upload.id))) return tusResponse;
    try {
      await complete(upload, clientOf(request).as(READ_OPERATION), 'again');
      return tusResponse;
    } catch (error) {
      return new Response(null, {
        status: uploadRejection(error as Error).status_code,
        headers: tusResponse.headers,
      });
    }
  }

  const server = new Server({
    path: PATH,
    datastore: uploads,
    locker: locks,
    // The upload with the lock has received no data for a while, so waiting is useless.
    lockDrainTimeout: 1,
    postReceiveInterval: PROGRESS_INTERVAL_MS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ['Upload-Expires'],
    disableTerminationForFinishedUploads: true,
    namingFunction: createUpload,
    maxSize: (_request, id) => (id === null ? storage.fileSizeLimit : uploads.maxBytesOf(id)),
    onIncomingRequest: checkRequest,
    async onUploadFinish(request, { id }) {
      const upload = uploads.find(id);
      if (upload) await complete(upload, clientOf(request).as(WRITE_OPERATION), 'first');
      return {};
    },
    // A path without a host: clients may reach the site under another name, or through a proxy that terminates TLS.
    generateUrl: (request, { path, id }) => `${path}${isSigned(request) ? '/sign' : ''}/${id}`,
    getFileIdFromRequest: idOf,
    onResponseError: (_request, error) => uploadRejection(error),
  });

  server.on(EVENTS.POST_RECEIVE, (_body: unknown, { id }: Upload) => locks.recordProgress(id));

  const sweepTimer = runHourly(
    57,
    () => uploads.deleteExpiredUploads(locks.isBusy),
    'Abandoned uploads were not deleted.',
  );

  return {
    /** Answers a TUS request. */
    async handle(request: Request, client: UploadClient): Promise<Response> {
      clients.set(request, client);
      const tusResponse = await server.handleWeb(request);
      uploads.cancelReservation(newUploadIds.get(request) ?? '');
      const response =
        request.method === 'HEAD' ? await completeMissingObject(request, tusResponse) : tusResponse;
      // Keeps the connection open: a browser reads no response before it has sent its whole request.
      response.headers.delete('connection');
      return response;
    },
    /** Answers an OPTIONS request, which needs no key. */
    options: (request: Request) => server.handleWeb(request),
    stop: sweepTimer.stop,
  };
}

const idOf = ({ url }: Request) => UPLOAD_ID.exec(new URL(url).pathname)?.[1];

const isSigned = ({ url }: Request) => new URL(url).pathname.startsWith(`${PATH}/sign`);

/**
 * Returns a function that turns a complete upload into an object. If the upload is rejected, the function deletes it.
 * After any other error the upload waits for the next request.
 */
function completeUploads(
  storage: Storage,
  uploads: ResumableUploadStore,
): (upload: ResumableUpload, caller: StorageCaller, attempt: 'first' | 'again') => Promise<void> {
  const completions = new Map<string, Promise<void>>();

  async function complete(
    upload: ResumableUpload,
    caller: StorageCaller,
    attempt: 'first' | 'again',
  ): Promise<void> {
    try {
      const isDone = attempt === 'again' && (await isStored(storage, upload, uploads.pathOf(upload.id)));
      if (!isDone) await storeObject(storage, upload, caller, uploads);
    } catch (error) {
      const refusal = asStorageError(error);
      if (refusal && refusal.status < 500) await uploads.remove(upload.id);
      throw error;
    }
    await uploads.markFinished(upload.id);
  }

  return (upload, caller, attempt) => {
    const completion =
      completions.get(upload.id) ??
      complete(upload, caller, attempt).finally(() => completions.delete(upload.id));
    completions.set(upload.id, completion);
    return completion;
  };
}

async function storeObject(
  storage: Storage,
  upload: ResumableUpload,
  caller: StorageCaller,
  uploads: ResumableUploadStore,
): Promise<void> {
  const { bucket, name, upsert, ownerId, by, metadata = {} } = upload;
  // A hard link: if the process ends before the row is written, the upload still has its bytes.
  const linkPath = `${uploads.pathOf(upload.id)}.whole`;
  await rm(linkPath, { force: true });
  await link(uploads.pathOf(upload.id), linkPath);
  try {
    // Metadata that is not JSON is ignored, as on a hosted project.
    const to = { bucket, name, upsert, ownerId, by, metadata: parseMetadata(metadata.metadata ?? '') };
    const contentType = metadata.contentType ?? 'application/octet-stream';
    await storeFile(storage, caller, { ...to, contentType, cacheControl: cacheControl(metadata) }, linkPath);
  } finally {
    await rm(linkPath, { force: true });
  }
}

/** Returns true if the object exists already: the process ended before it marked the upload as finished. */
async function isStored(storage: Storage, upload: ResumableUpload, path: string): Promise<boolean> {
  const { eTag } = await sizeAndETag(path);
  const { rows } = await sql`
    select from storage.objects
    where bucket_id = ${upload.bucket} and name = ${upload.name} and metadata ->> 'eTag' = ${eTag}
      and owner_id is not distinct from ${upload.ownerId ?? null}`.execute(storage.db);
  return rows.length > 0;
}

/** Returns the Cache-Control value for a number of seconds. As on hosted, anything else becomes `no-cache`. */
function cacheControl({ cacheControl: seconds }: NonNullable<ResumableUpload['metadata']>): string {
  return seconds && /^\d{1,15}$/.test(seconds) ? `max-age=${seconds}` : 'no-cache';
}

/** An error response in the format of @tus/server. */
type UploadRejection = { status_code: number; body: string };

/** Converts an error to a response. Refusals of @tus/server and of Storage keep their own messages. */
function uploadRejection(error: Error | UploadRejection): UploadRejection {
  // @tus/server answers 501 if a client uses a TUS extension that it does not support.
  if ('status_code' in error && (error.status_code < 500 || error.status_code === 501)) return error;
  const refusal = asStorageError(error);
  if (refusal) return { status_code: refusal.status, body: refusal.message };
  return { status_code: 500, body: `Something went wrong. (${logError(error)})` };
}

/**
 * Maximum number of unfinished uploads of one owner. A signature is valid for one path, but a client that missed the
 * response begins a second upload.
 */
const MAX_UNFINISHED_UPLOADS = { person: 20, signature: 2 };

/**
 * Creates the routes of `/storage/v1/upload/resumable` for callers with a token, and of `/sign` below it for callers
 * with a signature. TUS has its own OPTIONS and CORS headers, and bodies of any size, so the common middleware must be
 * registered after these routes.
 */
export function resumableRoutes(
  resumable: ResumableUploads,
  signatures: Signatures,
  context: Pick<GatewayContext, 'keys' | 'tokens'>,
): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  routes.onError((error) => {
    const { status_code: status, body } = uploadRejection(error);
    return new Response(body, { status, headers: { 'access-control-allow-origin': '*' } });
  });
  routes.use(async (c, next) => {
    c.set('address', requestAddress(c, context.keys));
    await next();
    // Allows pages of other origins to read refusals too.
    c.header('access-control-allow-origin', '*');
  });
  routes.options('*', (c) => resumable.options(c.req.raw));
  const limits = [limitRequests(context), limitUploads()] as const;
  routes.all('/sign/*', ...limits, (c) =>
    resumable.handle(c.req.raw, signedClient(c.req.header('x-signature') ?? '', signatures)),
  );
  routes.all('/*', requireKeyOrSignedUrl(context), ...limits, async (c) => {
    const caller = await requestCaller(c, context, '');
    const { role, sub } = caller.claims;
    const upsert = c.req.header('x-upsert') === 'true';
    return resumable.handle(c.req.raw, {
      by: 'person',
      maxUnfinished: role === 'service_role' ? Number.POSITIVE_INFINITY : MAX_UNFINISHED_UPLOADS.person,
      permit: async () => ({ owner: `${role}:${sub ?? ''}`, ownerId: sub, upsert }),
      as: (operation) => ({ ...caller, operation }),
    });
  });
  return routes;
}

/** Creates the client of a signed upload. The signer's rights were checked, so the service role writes the object. */
function signedClient(token: string, signatures: Signatures): UploadClient {
  return {
    by: 'signature',
    maxUnfinished: MAX_UNFINISHED_UPLOADS.signature,
    async permit({ bucket, name }) {
      const path = `${bucket}/${name}`;
      const { owner: ownerId, upsert = false } = await signatures.verify(token, 'upload', path);
      return { owner: `signature:${ownerId ?? ''}:${path}`, ownerId, upsert };
    },
    as: (operation) => serviceCaller(`${operation}_signed`),
  };
}
