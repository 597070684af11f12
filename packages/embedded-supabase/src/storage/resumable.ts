import { ERRORS, EVENTS, Server, type Upload } from '@tus/server';
import { hourly } from '../timers.ts';
import type { StorageCaller } from './as-caller.ts';
import { bucketRules } from './buckets.ts';
import { accessDenied, invalidRequest, StorageError } from './errors.ts';
import { mayInsert } from './objects.ts';
import { completeUploads, uploadRejection } from './resumable-completion.ts';
import { openUploadLocks } from './resumable-locks.ts';
import { Parts } from './resumable-parts.ts';
import type { Uploader } from './space.ts';
import type { Storage } from './types.ts';

/*
 * Uploads that are taken up again where a line broke: the TUS protocol 1.0, spoken by @tus/server, in the places, words
 * and headers of a hosted project.
 */

/** On whose behalf a request comes. */
export type UploadClient = {
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

export type Resumable = {
  /** Answers a request of the protocol. */
  answer(request: Request, sender: UploadClient): Promise<Response>;
  /** Capabilities of the service, for callers without a key. */
  options(request: Request): Promise<Response>;
  stop(): Promise<void>;
};

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
export async function openResumable(storage: Storage, folder: string): Promise<Resumable> {
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
   * Responds to the last byte only after the object exists: the process may have ended, or the database failed,
   * between both.
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
    async answer(request, sender) {
      senders.set(request, sender);
      const answered = await server.handleWeb(request);
      parts.dismiss(begun.get(request) ?? '');
      const response = request.method === 'HEAD' ? await catchUp(request, answered) : answered;
      // A browser reads no answer before it has sent all, so what still comes is heard out.
      response.headers.delete('connection');
      return response;
    },
    options: (request) => server.handleWeb(request),
    stop: sweeping.stop,
  };
}

const idOf = ({ url }: Request) => ID.exec(new URL(url).pathname)?.[1];

const isSigned = ({ url }: Request) => new URL(url).pathname.startsWith(`${PATH}/sign`);
