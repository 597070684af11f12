import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { isFull } from '../engine/reserve.ts';
import { HEADER_VALUE } from './content-type.ts';
import { parseMetadata } from './context.ts';
import { entityTooLarge, invalidRequest, StorageError } from './errors.ts';

/** What an upload says beside its bytes. */
type Received = {
  contentType: string;
  /** As the header: `max-age=3600`. */
  cacheControl: string;
  metadata: Record<string, unknown> | undefined;
};

/** Most bytes of what an uploader says of a file. */
const LARGEST_METADATA = 256 * 1024;

/**
 * Writes the bytes of an upload into a new file as they come: one that is too large is refused at the byte that is
 * too many.
 * @param path is there in part when this fails
 * @throws StorageError
 */
export function receive(request: Request, path: string, sizeLimit: number): Promise<Received> {
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
): Promise<Received> {
  const said = headers.get('x-metadata');
  const received = {
    contentType: type,
    cacheControl: fitHeader(headers.get('cache-control') ?? 'no-cache'),
    metadata: said === null ? undefined : readMetadata(Buffer.from(said, 'base64').toString()),
  };
  await save(path, body ?? [], sizeLimit);
  return received;
}

/** A form with one file and its fields, as FormData sends it. */
async function receiveForm(
  { body }: Request,
  type: string,
  path: string,
  sizeLimit: number,
): Promise<Received> {
  const form = openForm(type);
  const fields = new Map<string, string>();
  // Below, the pipeline listens, but no longer than it runs.
  form.on('error', () => {});
  const stopping = new AbortController();
  let file: { stream: BusboyFileStream; saved: Promise<void>; type: string } | undefined;
  form.on('field', (name, value) => {
    if (!fields.has(name)) fields.set(name, value);
  });
  form.on('file', (_name, stream, _fileName, _encoding, partType) => {
    // An incomplete form raises an error even if the file is not being read; the reader gets it too.
    stream.on('error', () => {});
    const saved = save(path, stream, sizeLimit);
    saved.catch(() => stopping.abort());
    file = { stream, saved, type: partType };
  });
  try {
    await pipeline(Readable.from(body ?? []), form, { signal: stopping.signal });
  } catch (error) {
    file?.stream.destroy(error as Error);
    await file?.saved;
    throw invalidRequest('The form cannot be read.');
  }
  if (!file) throw new StorageError(400, 'InvalidRequest', 'No content provided');
  await file.saved;
  const seconds = fields.get('cacheControl');
  const said = fields.get('metadata') ?? fields.get('userMetadata');
  return {
    contentType: fields.get('contentType') ?? file.type,
    cacheControl: fitHeader(seconds ? `max-age=${seconds}` : 'no-cache'),
    metadata: said === undefined ? undefined : readMetadata(said),
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
        fieldSize: LARGEST_METADATA,
        headerPairs: 20,
        headerSize: 8192,
      },
    });
  } catch {
    throw invalidRequest('The form cannot be read.');
  }
}

/** Read errors of a client that disconnected are ignored; errors of the disk are not. */
async function save(
  path: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sizeLimit: number,
) {
  async function* counted() {
    let size = 0;
    try {
      for await (const piece of bytes) {
        size += piece.length;
        if (size > sizeLimit) throw entityTooLarge();
        yield piece;
      }
    } catch (error) {
      throw error instanceof StorageError ? error : invalidRequest('The upload broke off.');
    }
  }
  const file = await open(path, 'wx', 0o600);
  let full: unknown;
  try {
    for await (const piece of counted()) {
      // Without disk space the body is still read, because a client that is cut off reads no response.
      if (full !== undefined) continue;
      await file.writeFile(piece).catch((error: unknown) => {
        if (!isFull(error)) throw error;
        full = error;
      });
    }
  } finally {
    await file.close();
  }
  if (full !== undefined) throw full;
}

function readMetadata(json: string): Record<string, unknown> {
  if (json.length > LARGEST_METADATA) throw entityTooLarge();
  const metadata = parseMetadata(json);
  if (!metadata) throw invalidRequest('The metadata must be a JSON object.');
  return metadata;
}

/** @throws StorageError when no header can say this */
export function fitHeader(value: string): string {
  if (HEADER_VALUE.test(value)) return value;
  throw invalidRequest('The cache control must be one line.');
}
