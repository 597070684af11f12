import { type DeskPhoto, deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';
import { entryStore } from '../outbox/database.ts';

/** Status of a photo on this page. */
export type PhotoStatus = {
  id: string;
  /** Id of the update that it was chosen for on this device; null otherwise. */
  update: string | null;
  /** Name of the file that was chosen on this device. */
  name: string | null;
  /** `elsewhere`: another device or tab uploads it. `missing`: it does not exist. */
  step: 'shrinking' | 'waiting' | 'sending' | 'checking' | 'ready' | 'refused' | 'elsewhere' | 'missing';
  /** Uploaded percentage. */
  sent: number;
  /** Why the upload is paused. */
  pauseReason: 'line' | 'session' | null;
  /** Error code of a refused photo. */
  refusal: string | null;
  /** URL of a picture to show. */
  picture: string | null;
  width: number | null;
  height: number | null;
};

/** Status of a newly chosen photo. */
export const NEW_PHOTO: Omit<PhotoStatus, 'id' | 'update'> = {
  name: null,
  step: 'shrinking',
  sent: 0,
  pauseReason: null,
  refusal: null,
  picture: null,
  width: null,
  height: null,
};

/** Status of a photo that this device does not upload. */
export function photoStatusOf({ state, refusal_code, width, height, id }: DeskPhoto): Partial<PhotoStatus> {
  if (state === 'uploading') return { step: 'elsewhere' };
  if (state === 'removed') return { step: 'refused', refusal: 'removed' };
  if (state === 'refused') return { step: 'refused', refusal: refusal_code };
  return { step: 'ready', sent: 100, width, height, picture: pictureOf(id) };
}

/** URL of the desk's picture of a ready photo. */
export const pictureOf = (id: string) => deskPhotoPath(id, PHOTO_WIDTHS[0]);

/** A photo that is being uploaded, as stored on this device. */
export type StoredPhoto = {
  id: string;
  /** Ids of the update that the photo was chosen for, and of its coverage. */
  update: string;
  coverage: string;
  /** Name of the chosen file. Missing in photos that an earlier version stored. */
  name?: string | null;
  /** The data to upload, or the chosen file until it is shrunk. */
  blob: Blob;
  /** Number of attempts to shrink it; null afterwards. */
  shrinkAttempts: number | null;
  width: number | null;
  height: number | null;
  preview: string | null;
  /** Whether it is registered at the desk. */
  isRegistered: boolean;
  /** URL at which its upload resumes. */
  uploadUrl?: string;
  /** Whether it was uploaded completely. */
  isSent: boolean;
  /** Consecutive checks in which it was uploaded but not processed. */
  unprocessedChecks: number;
  /** Error code of a refused photo. It stays until the person dismisses it. */
  refusal: string | null;
  /** Whether the refusal was reported to the desk. */
  isCancelled: boolean;
  /** When it was chosen, in milliseconds since 1970. */
  at: number;
};

export type PhotoStore = {
  /** All photos of this person in the order of selection. */
  all(): Promise<StoredPhoto[]>;
  /** Whether the photo exists. True when the device cannot be read. */
  has(id: string): Promise<boolean>;
  /** @returns whether the photo survives this page */
  put(photo: StoredPhoto): Promise<boolean>;
  /** Updates a stored photo. */
  change(id: string, part: Partial<StoredPhoto>): Promise<void>;
  delete(id: string): Promise<void>;
};

/** Photos older than this are deleted. The newsroom deletes photos that do not arrive within a day. */
const LIFETIME_MS = 14 * 24 * 3_600_000;

type OwnedPhoto = StoredPhoto & { person: string };

const photoEntries = entryStore<OwnedPhoto>('photos', LIFETIME_MS);

/** Stores the photos of a person on this device until the newsroom has them. */
export function openPhotoStore(person: string): PhotoStore {
  return {
    async all() {
      return (await photoEntries.all()).filter((photo) => photo.person === person);
    },
    has: (id) => photoEntries.get(id).then(Boolean, () => true),
    put: (photo) => photoEntries.put({ ...photo, person }),
    change: photoEntries.change,
    delete: photoEntries.delete,
  };
}

/** Number of a person's photos that are not uploaded yet. Refused ones are not counted. */
export async function countUnsentPhotos(person: string): Promise<number> {
  return (await openPhotoStore(person).all()).filter(({ refusal }) => refusal === null).length;
}

/** Deletes all photos of a person from this device. */
export async function deletePhotos(person: string): Promise<void> {
  for (const { id } of await openPhotoStore(person).all()) await photoEntries.delete(id);
}
