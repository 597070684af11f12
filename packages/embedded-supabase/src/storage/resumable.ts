import { link, rm } from 'node:fs/promises';
import { ERRORS, EVENTS, Server, type Upload } from '@tus/server';
import { Hono } from 'hono';
import { sql } from 'kysely';
import { requestAddress } from '../gateway/client-address.ts';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { logError } from '../gateway/responses.ts';
import { hourly } from '../timers.ts';
import { bucketRules } from './buckets.ts';
import {
  admit,
  callerOf,
  limitRequests,
  limitUploads,
  parseMetadata,
  SERVICE_CALLER,
  type Signatures,
  type Storage,
  type StorageCaller,
} from './context.ts';
import { accessDenied, asStorageError, invalidRequest, StorageError } from './errors.ts';
import { measure, type Uploader } from './files.ts';
import { mayInsert, storeFile } from './objects.ts';
import { openUploadLocks, type Part, Parts } from './resumable-parts.ts';

/*
 * Resumable uploads: the TUS protocol 1.0 of @tus/server, with the paths, messages and headers of a hosted project.
 */

/** The sender of an upload. */
type UploadClient = {
  by: Uploader;
  /** How many uploads of this owner may be unfinished at once: each may grow to the largest file of its bucket. */
  mostParts: number;
  /**
   * Owner of an upload to a path, `sub` of the object's owner, and whether it may replace an object.
   * @throws StorageError for a signature of another path, or an expired one
   */
  permit(to: Place): Promise<Permit>;
  as(operation: string): StorageCaller;
};

type Place = { bucket: string; name: string };

type Permit = { owner: string; ownerId: string | undefined; upsert: boolean };

type Resumable = Awaited<ReturnType<typeof openResumable>>;

const PATH = '/storage/v1/upload/resumable';

/** What supabase-js and Supabase's documentation send, beside the headers of the protocol. */
const REQUEST_HEADERS = ['apikey', 'x-client-info', 'x-request-id', 'x-signature', 'x-upsert'];

/** How often it is noticed that bytes come. */
const NOTICE_MS = 500;

const ID = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** As policies may read them. */
const READING = 'storage.tus.upload.get';
const WRITING = 'storage.tus.upload.part';

const tooManyParts = () =>
  new StorageError(429, 'SlowDown', 'Too many uploads are under way. Finish or cancel one first.');

/** @param folder for the parts: on the disk of the files, and in no backup */
export async function openResumable(storage: Storage, folder: string) {
  const parts = await Parts.open(folder);
  const turns = openUploadLocks();
  const senders = new WeakMap<Request, UploadClient>();
  const begun = new WeakMap<Request, string>();
  const complete = completeUploads(storage, parts);
  const { room } = storage.files;
  room.count(() => parts.promised);

  const senderOf = (request: Request): UploadClient => {
    const sender = senders.get(request);
    if (!sender) throw accessDenied();
    return sender;
  };

  /** Takes an upload on, and says its id. */
  async function begin(request: Request, metadata: Upload['metadata'] = {}): Promise<string> {
    const sender = senderOf(request);
    const { bucketName: bucket, objectName: name, contentType } = metadata;
    if (!bucket || !name) throw invalidRequest('Upload-Metadata must hold bucketName and objectName.');
    const to = { bucket, name, ...(await sender.permit({ bucket, name })) };
    const length = request.headers.get('upload-length');
    const size = length === null ? undefined : Number(length);
    const { sizeLimit } = await bucketRules(storage, bucket);
    const declared = { contentType: contentType ?? undefined, size };
    await mayInsert(storage, sender.as('storage.tus.upload.create'), to, declared);
    const most = size ?? sizeLimit;
    await letOldestGo(to.owner, sender.mostParts);
    const giveBack = await makeRoom(most, sender.by);
    const id = parts.expect({ ...to, by: sender.by, room: most });
    giveBack();
    begun.set(request, id);
    return id;
  }

  /** The oldest unfinished upload is deleted for the newest: its client has probably given up. */
  async function letOldestGo(owner: string, mostParts: number): Promise<void> {
    const held = parts.heldBy(owner);
    for (const { id } of held.slice(0, Math.max(0, held.length - mostParts + 1))) {
      if (!turns.isBusy(id)) await parts.remove(id);
    }
    if (parts.heldBy(owner).length >= mostParts) throw tooManyParts();
  }

  async function makeRoom(bytes: number, by: Uploader): Promise<() => void> {
    try {
      return await room.promise(bytes, by);
    } catch {
      await parts.sweepEmpty(turns.isBusy);
      return room.promise(bytes, by);
    }
  }

  /** Whether this sender may go on with an upload that was begun. */
  async function admit(request: Request, id: string): Promise<void> {
    // A sender that counts on it must not believe that its bytes were compared.
    if (request.headers.has('upload-checksum')) throw invalidRequest('Upload-Checksum is not offered.');
    if (request.method === 'POST') return;
    const sender = senderOf(request);
    const part = parts.find(id);
    if (!part) throw ERRORS.FILE_NOT_FOUND;
    const { owner } = await sender.permit(part);
    if (part.owner !== owner) throw ERRORS.FILE_NOT_FOUND;
    if (request.method === 'DELETE') return;
    if (part.finished) {
      if (request.method !== 'HEAD') throw ERRORS.FILE_NO_LONGER_EXISTS;
      return;
    }
    // All of it is here: what is left to do asks for the right itself.
    if (request.method === 'HEAD' && (await isWhole(id))) return;
    const { bucket, name, upsert, ownerId, metadata, size } = part;
    await mayInsert(
      storage,
      sender.as(request.method === 'HEAD' ? READING : WRITING),
      { bucket, name, upsert, ownerId },
      { contentType: metadata?.contentType ?? undefined, size },
    );
  }

  async function isWhole(id: string): Promise<boolean> {
    const { offset, size } = await parts.getUpload(id);
    return offset === size;
  }

  /**
   * Completes an upload whose object is missing, because the process ended or the database failed after its last byte.
   */
  async function catchUp(request: Request, answered: Response): Promise<Response> {
    const part = parts.find(idOf(request) ?? '');
    if (!answered.ok || !part || part.finished || !(await isWhole(part.id))) return answered;
    try {
      await complete(part, senderOf(request).as(READING), 'again');
      return answered;
    } catch (error) {
      return new Response(null, {
        status: uploadRejection(error as Error).status_code,
        headers: answered.headers,
      });
    }
  }

  const server = new Server({
    path: PATH,
    datastore: parts,
    locker: turns,
    // The upload with the lock has received no data for a while, so waiting is useless.
    lockDrainTimeout: 1,
    postReceiveInterval: NOTICE_MS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ['Upload-Expires'],
    disableTerminationForFinishedUploads: true,
    namingFunction: begin,
    maxSize: (_request, id) => (id === null ? storage.fileSizeLimit : parts.roomFor(id)),
    onIncomingRequest: admit,
    async onUploadFinish(request, { id }) {
      const part = parts.find(id);
      if (part) await complete(part, senderOf(request).as(WRITING), 'first');
      return {};
    },
    // Without a host: the site may be reached by other names than it knows, and by TLS that ends before it.
    generateUrl: (request, { path, id }) => `${path}${isSigned(request) ? '/sign' : ''}/${id}`,
    getFileIdFromRequest: idOf,
    onResponseError: (_request, error) => uploadRejection(error),
  });

  server.on(EVENTS.POST_RECEIVE, (_body: unknown, { id }: Upload) => turns.saw(id));

  const sweeping = hourly(57, () => parts.sweep(turns.isBusy), 'Abandoned uploads were not deleted.');

  return {
    /** Answers a request of the protocol. */
    async answer(request: Request, sender: UploadClient): Promise<Response> {
      senders.set(request, sender);
      const answered = await server.handleWeb(request);
      parts.dismiss(begun.get(request) ?? '');
      const response = request.method === 'HEAD' ? await catchUp(request, answered) : answered;
      // A browser reads no answer before it has sent all, so what still comes is heard out.
      response.headers.delete('connection');
      return response;
    },
    /** Tells callers without a key what the service offers. */
    options: (request: Request) => server.handleWeb(request),
    stop: sweeping.stop,
  };
}

const idOf = ({ url }: Request) => ID.exec(new URL(url).pathname)?.[1];

const isSigned = ({ url }: Request) => new URL(url).pathname.startsWith(`${PATH}/sign`);

/**
 * Turns completed uploads into objects. A rejected upload is deleted; after another error it waits for the next request.
 */
function completeUploads(
  storage: Storage,
  parts: Parts,
): (part: Part, caller: StorageCaller, attempt: 'first' | 'again') => Promise<void> {
  const underWay = new Map<string, Promise<void>>();

  async function complete(part: Part, caller: StorageCaller, attempt: 'first' | 'again'): Promise<void> {
    try {
      const isDone = attempt === 'again' && (await isKept(storage, part, parts.pathOf(part.id)));
      if (!isDone) await keep(storage, part, caller, parts);
    } catch (error) {
      const refused = asStorageError(error);
      if (refused && refused.status < 500) await parts.remove(part.id);
      throw error;
    }
    await parts.finish(part.id);
  }

  return (part, caller, attempt) => {
    const running =
      underWay.get(part.id) ?? complete(part, caller, attempt).finally(() => underWay.delete(part.id));
    underWay.set(part.id, running);
    return running;
  };
}

async function keep(storage: Storage, part: Part, caller: StorageCaller, parts: Parts): Promise<void> {
  const { bucket, name, upsert, ownerId, by, metadata = {} } = part;
  // By a second name: if this process is ended before its row is written, the bytes are still here.
  const whole = `${parts.pathOf(part.id)}.whole`;
  await rm(whole, { force: true });
  await link(parts.pathOf(part.id), whole);
  try {
    // Metadata that is not JSON is ignored, as on a hosted project.
    const to = { bucket, name, upsert, ownerId, by, metadata: parseMetadata(metadata.metadata ?? '') };
    const contentType = metadata.contentType ?? 'application/octet-stream';
    await storeFile(storage, caller, { ...to, contentType, cacheControl: cacheControl(metadata) }, whole);
  } finally {
    await rm(whole, { force: true });
  }
}

/** Whether its object was written already, and only the note of that was lost with the process. */
async function isKept(storage: Storage, part: Part, path: string): Promise<boolean> {
  const { eTag } = await measure(path);
  const { rows } = await sql`
    select from storage.objects
    where bucket_id = ${part.bucket} and name = ${part.name} and metadata ->> 'eTag' = ${eTag}
      and owner_id is not distinct from ${part.ownerId ?? null}`.execute(storage.db);
  return rows.length > 0;
}

/** Seconds, as a hosted project reads them. */
function cacheControl({ cacheControl: given }: NonNullable<Part['metadata']>): string {
  return given && /^\d{1,15}$/.test(given) ? `max-age=${given}` : 'no-cache';
}

/** As @tus/server wants one. */
type UploadRejection = { status_code: number; body: string };

/** The refusal that an error stands for: the service's in its words, the protocol's server's in its own. */
function uploadRejection(error: Error | UploadRejection): UploadRejection {
  // 501 is what the protocol has and is not offered.
  if ('status_code' in error && (error.status_code < 500 || error.status_code === 501)) return error;
  const refused = asStorageError(error);
  if (refused) return { status_code: refused.status, body: refused.message };
  return { status_code: 500, body: `Something went wrong. (${logError(error)})` };
}

/** A signature is valid for one path. A client that missed the response begins again. */
const MOST_PARTS = { person: 20, signature: 2 };

/**
 * `/storage/v1/upload/resumable` with a token, and `/sign` below it with a signature. The protocol has its own OPTIONS and CORS
 * headers and bodies of any size, so the common middleware comes after it.
 */
export function resumableRoutes(
  resumable: Resumable,
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
    // Pages may read rejections too.
    c.header('access-control-allow-origin', '*');
  });
  routes.options('*', (c) => resumable.options(c.req.raw));
  const pace = [limitRequests(context), limitUploads()] as const;
  routes.all('/sign/*', ...pace, (c) =>
    resumable.answer(c.req.raw, bySignature(c.req.header('x-signature') ?? '', signatures)),
  );
  routes.all('/*', admit(context), ...pace, async (c) => {
    const caller = await callerOf(c, context, '');
    const { role, sub } = caller.claims;
    const upsert = c.req.header('x-upsert') === 'true';
    return resumable.answer(c.req.raw, {
      by: 'person',
      mostParts: role === 'service_role' ? Number.POSITIVE_INFINITY : MOST_PARTS.person,
      permit: async () => ({ owner: `${role}:${sub ?? ''}`, ownerId: sub, upsert }),
      as: (operation) => ({ ...caller, operation }),
    });
  });
  return routes;
}

/** The signer's rights were checked, so the service role writes it. */
function bySignature(token: string, signatures: Signatures): UploadClient {
  return {
    by: 'signature',
    mostParts: MOST_PARTS.signature,
    async permit({ bucket, name }) {
      const place = `${bucket}/${name}`;
      const { owner: ownerId, upsert = false } = await signatures.verify(token, 'upload', place);
      return { owner: `signature:${ownerId ?? ''}:${place}`, ownerId, upsert };
    },
    as: (operation) => SERVICE_CALLER(`${operation}_signed`),
  };
}
