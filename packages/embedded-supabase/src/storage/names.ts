import { invalidRequest, notSupported, StorageError } from './errors.ts';

/** A hosted project's limits: the keys of S3, and its own column. */
const LONGEST = { object: 1024, bucket: 100 };

/** S3's safe characters and those that need care, as a hosted project takes them. */
const SAFE = /^[\w!\-.*'() &$@=;:+,?]+$/;

/** @throws StorageError when no object may have this name */
export function checkObjectName(name: string): void {
  const fits =
    name.length <= LONGEST.object &&
    name.split('/').every((segment) => SAFE.test(segment) && segment !== '.' && segment !== '..');
  if (!fits) throw new StorageError(400, 'InvalidKey', `Invalid key: ${name.slice(0, LONGEST.object)}`);
}

/** @throws StorageError when no bucket may have this name */
export function checkBucketName(name: string): void {
  const fits =
    name.length <= LONGEST.bucket && SAFE.test(name) && name.trim() === name && !/^\.+$/.test(name);
  if (!fits) throw new StorageError(400, 'InvalidBucketName', 'Bucket name invalid', 'Invalid Input');
}

/**
 * The bucket and the object that an address names.
 * @param path what follows the route in it, as it came
 */
export function readTarget(path: string): { bucket: string; name: string } {
  const [bucket = '', ...segments] = path.split('/');
  return { bucket: decode(bucket), name: decode(segments.join('/')) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidRequest('The address is not encoded as an address is.');
  }
}

/** Most names of one request. */
const MOST_NAMES = 1000;

/** @param none whether versions are unsupported, because every object has only one */
export function refuseVersions(none: boolean): void {
  if (!none) throw notSupported('object versioning');
}

/** The names that a body lists. @throws StorageError */
export function readNames(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_NAMES) {
    throw invalidRequest(`body must name from 1 to ${MOST_NAMES} objects`);
  }
  refuseVersions(value.every((one) => typeof one !== 'object'));
  return value.map(String);
}
