import { invalid, notOffered } from './storage-refused.ts';

/** Most names of one request. */
const MOST_NAMES = 1000;

/** @param none whether nothing is said of versions: every object has one alone */
export function refuseVersions(none: boolean): void {
  if (!none) throw notOffered('object versioning');
}

/** The names that a body lists. @throws StorageRefused */
export function readNames(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_NAMES) {
    throw invalid(`body must name from 1 to ${MOST_NAMES} objects`);
  }
  refuseVersions(value.every((one) => typeof one !== 'object'));
  return value.map(String);
}
