import { invalidRequest, notSupported, StorageError } from './errors.ts';

/** Maximum lengths on a hosted project: that of an S3 key, and that of the column for bucket names. */
const MAX_LENGTHS = { object: 1024, bucket: 100 };

/** The characters that a hosted project accepts: those that S3 calls safe, and those that may need special handling. */
const SAFE_NAME = /^[\w!\-.*'() &$@=;:+,?]+$/;

/** Checks the name of an object. @throws StorageError if the name is not valid */
export function checkObjectName(name: string): void {
  const isValid =
    name.length <= MAX_LENGTHS.object &&
    name.split('/').every((segment) => SAFE_NAME.test(segment) && segment !== '.' && segment !== '..');
  if (!isValid)
    throw new StorageError(400, 'InvalidKey', `Invalid key: ${name.slice(0, MAX_LENGTHS.object)}`);
}

/** Checks the name of a bucket. @throws StorageError if the name is not valid */
export function checkBucketName(name: string): void {
  const isValid =
    name.length <= MAX_LENGTHS.bucket && SAFE_NAME.test(name) && name.trim() === name && !/^\.+$/.test(name);
  if (!isValid) throw new StorageError(400, 'InvalidBucketName', 'Bucket name invalid', 'Invalid Input');
}

/**
 * Returns the bucket and object name in a URL.
 * @param path the part of the URL's path after the route, still percent-encoded
 * @throws StorageError if the encoding is not valid
 */
export function parseObjectPath(path: string): { bucket: string; name: string } {
  const [bucket = '', ...segments] = path.split('/');
  return { bucket: decode(bucket), name: decode(segments.join('/')) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidRequest('The address is not encoded correctly.');
  }
}

/** Maximum number of names in one request. */
const MAX_NAMES = 1000;

/**
 * Rejects a request that names versions of objects, because every object has only one version.
 * @param namesNoVersion true if the request names no version
 * @throws StorageError
 */
export function requireNoVersion(namesNoVersion: boolean): void {
  if (!namesNoVersion) throw notSupported('object versioning');
}

/**
 * Returns the object names that a body lists.
 * @throws StorageError if there are none or too many, or if the list contains versions
 */
export function readObjectNames(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_NAMES) {
    throw invalidRequest(`body must name from 1 to ${MAX_NAMES} objects`);
  }
  requireNoVersion(value.every((entry) => typeof entry !== 'object'));
  return value.map(String);
}
