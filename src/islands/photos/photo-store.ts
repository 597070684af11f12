import { entryStore } from '../outbox/database.ts';

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
