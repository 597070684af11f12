import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { type Context, Hono } from 'hono';
import { isDiskFull } from '../engine/reserve.ts';
import type { RequestVariables } from '../gateway/context.ts';
import { HEADER_VALUE } from './content-type.ts';
import {
  isUpsert,
  parseMetadata,
  requestCaller,
  requestObjectPath,
  type Storage,
  type StorageCaller,
  type StorageContext,
  serviceCaller,
} from './context.ts';
import { entityTooLarge, invalidRequest, notSupported, StorageError } from './errors.ts';
import { checkUploadAllowed, type Destination, type StoredFile, storeFile } from './objects.ts';

/** Lifetime of a signed upload URL in seconds, as on a hosted project. */
const SIGNED_UPLOAD_S = 2 * 60 * 60;

/** Creates the routes for uploads in one request, with the caller's own rights or a signed URL. */
export function uploadRoutes({ context, storage, signatures }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();

  routes.post('/upload/sign/*', async (c) => {
    const caller = await requestCaller(c, context, 'storage.object.sign_upload_url');
    const target = requestObjectPath(c, '/object/upload/sign/');
    const [ownerId, upsert] = [caller.claims.sub, isUpsert(c)];
    await checkUploadAllowed(storage, caller, { ...target, upsert, ownerId });
    const url = `${target.bucket}/${target.name}`;
    const token = await signatures.sign({ scope: 'upload', url, owner: ownerId, upsert }, SIGNED_UPLOAD_S);
    return c.json({ url: `/object/upload/sign/${url}?token=${token}`, token });
  });

  routes.put('/upload/sign/*', async (c) => {
    const { bucket, name } = requestObjectPath(c, '/object/upload/sign/');
    const permit = await signatures.verify(c.req.query('token') ?? '', 'upload', `${bucket}/${name}`);
    // The signer's rights were checked when the URL was signed.
    const destination = {
      bucket,
      name,
      upsert: permit.upsert ?? false,
      ownerId: permit.owner,
      by: 'signature' as const,
    };
    const storedFile = await upload(c, storage, serviceCaller('storage.object.upload_signed'), destination);
    return c.json({ Key: `${storedFile.bucket}/${storedFile.name}` });
  });

  const handleUpload = (method: 'POST' | 'PUT') => async (c: Context<RequestVariables>) => {
    const operation = method === 'PUT' ? 'storage.object.upload_update' : 'storage.object.upload';
    const caller = await requestCaller(c, context, operation);
    const upsert = method === 'PUT' || isUpsert(c);
    const destination = { ...requestObjectPath(c, '/object/'), upsert, ownerId: caller.claims.sub };
    const { id, bucket, name } = await upload(c, storage, caller, destination);
    return c.json({ Id: id, Key: `${bucket}/${name}` });
  };
  return routes.post('/:bucket/*', handleUpload('POST')).put('/:bucket/*', handleUpload('PUT'));
}

async function upload(
  c: Context<RequestVariables>,
  storage: Storage,
  caller: StorageCaller,
  destination: Destination,
): Promise<StoredFile> {
  const size = c.req.header('content-length');
  const isForm = c.req.header('content-type')?.startsWith('multipart/form-data');
  // The headers of a form describe the form. The type and size of its file are known only once it arrives.
  const declared = isForm
    ? {}
    : { contentType: c.req.header('content-type'), size: size === undefined ? undefined : Number(size) };
  const { sizeLimit } = await checkUploadAllowed(storage, caller, destination, declared);
  if (isForm && Number(size ?? 0) > sizeLimit + MAX_FIELD_BYTES) throw entityTooLarge();
  if (c.req.header('content-encoding')) throw notSupported('content encoding');
  // Without Content-Length, the file may be as large as the bucket allows.
  const maxBytes = Math.min(Number(size ?? sizeLimit), sizeLimit);
  const uploadFile = await storage.files.newUploadFile(maxBytes, destination.by ?? 'person');
  try {
    const { metadata, ...received } = await receive(c.req.raw, uploadFile.path, sizeLimit);
    return await storeFile(storage, caller, { ...destination, ...received, metadata }, uploadFile.path);
  } finally {
    await uploadFile.discard();
  }
}

/** Maximum bytes of the fields of a form besides its file. */
const MAX_FIELD_BYTES = 1024 * 1024;

/** Properties of an upload, besides its bytes. */
type ReceivedUpload = {
  contentType: string;
  /** Value of the Cache-Control header: `max-age=3600`. */
  cacheControl: string;
  metadata: Record<string, unknown> | undefined;
};

/** Maximum bytes of the metadata that an uploader sends with a file. */
const MAX_METADATA_BYTES = 256 * 1024;

/**
 * Writes an upload into a new file and stops at the size limit.
 * @param path of the new file; after an error it may exist with a part of the bytes
 * @throws StorageError
 */
function receive(request: Request, path: string, sizeLimit: number): Promise<ReceivedUpload> {
  const type = request.headers.get('content-type') ?? '';
  return type.startsWith('multipart/form-data')
    ? receiveForm(request, type, path, sizeLimit)
    : receiveBytes(request, type, path, sizeLimit);
}

async function receiveBytes(
  { headers, body }: Request,
  type: string,
  path: string,
  sizeLimit: number,
): Promise<ReceivedUpload> {
  const received = {
    contentType: type,
    cacheControl: checkHeaderValue(headers.get('cache-control') ?? 'no-cache'),
    metadata: readMetadataHeader(headers),
  };
  await save(path, body ?? [], sizeLimit);
  return received;
}

/** Receives a form with one file and its fields, as FormData sends it. */
async function receiveForm(
  { body }: Request,
  type: string,
  path: string,
  sizeLimit: number,
): Promise<ReceivedUpload> {
  const form = openForm(type);
  const fields = new Map<string, string>();
  // The pipeline below listens for errors only while it runs. A later error must not end the process.
  form.on('error', () => {});
  const abortController = new AbortController();
  let file: { stream: BusboyFileStream; saved: Promise<void>; type: string } | undefined;
  form.on('field', (name, value) => {
    if (!fields.has(name)) fields.set(name, value);
  });
  form.on('file', (_name, stream, _fileName, _encoding, partType) => {
    // An incomplete form raises an error on the file's stream, even if `save` is not reading it. `save` gets it too.
    stream.on('error', () => {});
    const saved = save(path, stream, sizeLimit);
    saved.catch(() => abortController.abort());
    file = { stream, saved, type: partType };
  });
  try {
    await pipeline(Readable.from(body ?? []), form, { signal: abortController.signal });
  } catch (error) {
    file?.stream.destroy(error as Error);
    await file?.saved;
    throw invalidRequest('The form cannot be read.');
  }
  if (!file) throw new StorageError(400, 'InvalidRequest', 'No content provided');
  await file.saved;
  if (fields.get('contentEncoding')) throw notSupported('content encoding');
  const seconds = fields.get('cacheControl');
  const metadataJson = fields.get('metadata') ?? fields.get('userMetadata');
  return {
    contentType: fields.get('contentType') ?? file.type,
    cacheControl: checkHeaderValue(seconds ? `max-age=${seconds}` : 'no-cache'),
    metadata: metadataJson === undefined ? undefined : readMetadata(metadataJson),
  };
}

function openForm(type: string) {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        files: 1,
        fields: 8,
        parts: 9,
        fieldSize: MAX_METADATA_BYTES,
        headerPairs: 20,
        headerSize: 8192,
      },
    });
  } catch {
    throw invalidRequest('The form cannot be read.');
  }
}

/**
 * Writes bytes into a new file.
 * @throws StorageError if there are too many bytes, or if the client disconnects; errors of the disk unchanged
 */
async function save(
  path: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sizeLimit: number,
) {
  async function* limitedBytes() {
    let size = 0;
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > sizeLimit) throw entityTooLarge();
        yield chunk;
      }
    } catch (error) {
      throw error instanceof StorageError ? error : invalidRequest('The upload was cut off.');
    }
  }
  const file = await open(path, 'wx', 0o600);
  let diskFullError: unknown;
  try {
    for await (const chunk of limitedBytes()) {
      // When the disk is full, the rest of the body is still read: a client that is cut off reads no response.
      if (diskFullError !== undefined) continue;
      await file.writeFile(chunk).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error;
        diskFullError = error;
      });
    }
  } finally {
    await file.close();
  }
  if (diskFullError !== undefined) throw diskFullError;
}

/** Returns the metadata of the header `x-metadata`, JSON in base64. @throws StorageError if it is not valid */
export function readMetadataHeader(headers: Headers): Record<string, unknown> | undefined {
  const encoded = headers.get('x-metadata');
  return encoded === null ? undefined : readMetadata(Buffer.from(encoded, 'base64').toString());
}

function readMetadata(json: string): Record<string, unknown> {
  if (Buffer.byteLength(json) > MAX_METADATA_BYTES) throw entityTooLarge();
  const metadata = parseMetadata(json);
  if (!metadata) throw invalidRequest('The metadata must be a JSON object.');
  return metadata;
}

/** Returns a header value unchanged. @throws StorageError if the value is not valid in a header */
export function checkHeaderValue(value: string): string {
  if (HEADER_VALUE.test(value)) return value;
  throw invalidRequest('The cache control must be one line.');
}
