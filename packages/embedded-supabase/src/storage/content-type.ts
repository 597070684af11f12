import { open } from 'node:fs/promises';
import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';
import { invalidMimeType } from './errors.ts';

/** Number of bytes that file-type's documentation asks for. */
const FIRST_BYTES = 4100;

const UNKNOWN_TYPE = 'application/octet-stream';

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** Types that file-type detects by a signature in the first bytes. */
const DETECTABLE = new Set<string>(supportedMimeTypes);

/** A header value of one line. */
export const HEADER_VALUE = /^[\x20-\x7e]{1,200}$/;

/**
 * Returns the content type of a file: by its signature, otherwise as declared. If the declared type has a signature
 * that the file lacks, returns `application/octet-stream`.
 * @param declared a Content-Type header
 */
export async function detectContentType(path: string, declared: string): Promise<string> {
  const declaredType = essence(declared);
  const detected = await fileTypeFromBuffer(await firstBytes(path));
  if (detected) return detected.mime === declaredType ? headerSafeType(declared) : detected.mime;
  return DETECTABLE.has(declaredType) ? UNKNOWN_TYPE : headerSafeType(declared);
}

/** Returns a type that is valid in a header: unchanged, without its parameters, or `application/octet-stream`. */
function headerSafeType(type: string): string {
  const mediaType = essence(type);
  if (!MEDIA_TYPE.test(mediaType) || !HEADER_VALUE.test(mediaType)) return UNKNOWN_TYPE;
  return HEADER_VALUE.test(type) ? type : mediaType;
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

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
/** A media type with its parameters (RFC 9110, 8.3.1). */
const WITH_PARAMETERS = new RegExp(
  `^[ \\t]*(${TOKEN})/(${TOKEN})[ \\t]*(?:;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED})[ \\t]*)?)*$`,
);
const MAX_TYPE_LENGTH = 1000;

/**
 * Returns an allowed type of a bucket as Storage stores it: in lower case and without parameters. Only the whole
 * subtype may be a wildcard.
 * @throws StorageError for other text, such as `*` or `*\/*`
 */
export function allowedType(text: string): string {
  const [, type = '*', subtype = ''] = (text.length <= MAX_TYPE_LENGTH && WITH_PARAMETERS.exec(text)) || [];
  if (type.includes('*') || (subtype.includes('*') && subtype !== '*')) throw invalidMimeType(text);
  return `${type}/${subtype}`.toLowerCase();
}

/**
 * Checks a type against the types that a bucket allows.
 * @param allowed types such as `image/png` or `image/*`; an empty list or null allows all
 * @throws StorageError if the type is not allowed
 */
export function checkAllowedType(type: string, allowed: string[] | null): void {
  const mediaType = essence(type);
  const matches = (pattern: string) => {
    const permitted = essence(pattern);
    if (permitted.endsWith('/*')) return permitted === '*/*' || mediaType.startsWith(permitted.slice(0, -1));
    return permitted === mediaType || permitted === '*';
  };
  if (allowed && allowed.length > 0 && !allowed.some(matches)) throw invalidMimeType(mediaType);
}

/** Rejects an upload early, if its declared type has a signature and is not allowed. @throws StorageError */
export function checkDeclaredType(type: string, allowed: string[] | null): void {
  if (DETECTABLE.has(essence(type))) checkAllowedType(type, allowed);
}

/** Types that a browser may display, because they contain no scripts. */
const DISPLAYABLE = /^(image|audio|video|font)\/|^text\/plain$|^application\/(json|octet-stream)$/;

/** Types that a browser may execute. */
const EXECUTABLE = /html|xml|svg|script|wasm|stylesheet|xsl|css|multipart|message|flash/;

/** Returns the content type of a response, chosen so that browsers do not execute uploaded files. */
export function responseContentType(type: string): { type: string; attachment: boolean } {
  const mediaType = essence(type);
  if (EXECUTABLE.test(mediaType)) return { type: 'text/plain; charset=utf-8', attachment: false };
  return { type: headerSafeType(type), attachment: !DISPLAYABLE.test(mediaType) };
}
