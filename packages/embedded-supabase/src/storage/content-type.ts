import { open } from 'node:fs/promises';
import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';
import { wrongType } from './errors.ts';

/** Number of bytes that file-type's documentation asks for. */
const FIRST_BYTES = 4100;

const UNKNOWN = 'application/octet-stream';

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** Types that file-type detects by a signature in the first bytes. */
const SIGNED = new Set<string>(supportedMimeTypes);

/** A header value of one line. */
export const HEADER_VALUE = /^[\x20-\x7e]{1,200}$/;

/**
 * Returns the content type of a file: by its signature, otherwise as declared. If the declared type has a signature
 * that the file lacks, returns `application/octet-stream`.
 * @param declared a Content-Type header
 */
export async function contentTypeOf(path: string, declared: string): Promise<string> {
  const said = essence(declared);
  const known = await fileTypeFromBuffer(await firstBytes(path));
  if (known) return known.mime === said ? sayable(declared) : known.mime;
  return SIGNED.has(said) ? UNKNOWN : sayable(declared);
}

/** Returns a type that is valid in a header: unchanged, without its parameters, or `application/octet-stream`. */
function sayable(type: string): string {
  const own = essence(type);
  if (!MEDIA_TYPE.test(own) || !HEADER_VALUE.test(own)) return UNKNOWN;
  return HEADER_VALUE.test(type) ? type : own;
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const bytes = new Uint8Array(FIRST_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Returns a type without its parameters, in lower case. */
const essence = (type: string) => (type.split(';', 1)[0] ?? '').trim().toLowerCase();

/**
 * Checks a type against the types that a bucket allows.
 * @param allowed types such as `image/png` or `image/*`; an empty list or null allows all
 * @throws StorageError if the type is not allowed
 */
export function checkType(type: string, allowed: string[] | null): void {
  const own = essence(type);
  const fits = (pattern: string) => {
    const allowedType = essence(pattern);
    if (allowedType.endsWith('/*')) return allowedType === '*/*' || own.startsWith(allowedType.slice(0, -1));
    return allowedType === own || allowedType === '*';
  };
  if (allowed && allowed.length > 0 && !allowed.some(fits)) throw wrongType(own);
}

/** Rejects an upload early, if its declared type has a signature and is not allowed. @throws StorageError */
export function checkDeclared(type: string, allowed: string[] | null): void {
  if (SIGNED.has(essence(type))) checkType(type, allowed);
}

/** Types that a browser may display, because they contain no scripts. */
const INERT = /^(image|audio|video|font)\/|^text\/plain$|^application\/(json|octet-stream)$/;

/** Types that a browser may execute. */
const RUNNABLE = /html|xml|svg|script|wasm|stylesheet|xsl|css|multipart|message|flash/;

/** Returns the content type of a response, chosen so that browsers do not execute uploaded files. */
export function servedAs(type: string): { type: string; attachment: boolean } {
  const own = essence(type);
  if (RUNNABLE.test(own)) return { type: 'text/plain; charset=utf-8', attachment: false };
  return { type: sayable(type), attachment: !INERT.test(own) };
}
