import { createStore, del, get, getMany, keys, promisifyRequest, set, type UseStore } from 'idb-keyval';

/** A photo that is being uploaded, as stored on this device. */
export type StoredPhoto = {
  id: string;
  /** Ids of the update that the photo was chosen for, and of its coverage. */
  update: string;
  coverage: string;
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
  get(id: string): Promise<StoredPhoto | undefined>;
  /** @returns whether the photo survives this page */
  put(photo: StoredPhoto): Promise<boolean>;
  /** Updates a stored photo. */
  change(id: string, part: Partial<StoredPhoto>): Promise<void>;
  delete(id: string): Promise<void>;
};

/** Photos older than this are deleted. The newsroom deletes photos that do not arrive within a day. */
const LIFETIME_MS = 14 * 24 * 3_600_000;

/**
 * Stores photos on this device until the newsroom has them, separately for each person. Without storage, uploads
 * continue in this page.
 */
export function openPhotoStore(person: string): PhotoStore {
  const prefix = `${person}/`;
  let database: UseStore | undefined;
  /** Runs a task on the store; undefined where storage is not available. */
  async function withStore<T>(task: (store: UseStore) => Promise<T>): Promise<T | undefined> {
    try {
      database ??= createStore('stoppress-photos', 'photos');
      return await task(database);
    } catch {
      return undefined;
    }
  }

  return {
    async all() {
      await withStore(deleteExpired);
      const stored = await withStore(async (store) => {
        const own = (await keys<string>(store)).filter((key) => key.startsWith(prefix));
        return getMany<StoredPhoto>(own, store);
      });
      return (stored ?? []).filter((photo) => photo !== undefined).sort((a, b) => a.at - b.at);
    },
    get: (id) => withStore((store) => get<StoredPhoto>(prefix + id, store)),
    async put(photo) {
      return (await withStore((store) => set(prefix + photo.id, photo, store).then(() => true))) ?? false;
    },
    async change(id, part) {
      await withStore((store) =>
        store('readwrite', async (photos) => {
          const photo = await promisifyRequest<StoredPhoto | undefined>(photos.get(prefix + id));
          if (photo) await promisifyRequest(photos.put({ ...photo, ...part }, prefix + id));
        }),
      );
    },
    async delete(id) {
      await withStore((store) => del(prefix + id, store));
    },
  };
}

/** Number of a person's photos that are not uploaded yet. Refused ones are not counted. */
export async function countUnsentPhotos(person: string): Promise<number> {
  return (await openPhotoStore(person).all()).filter(({ refusal }) => refusal === null).length;
}

/** Deletes all photos of a person from this device. */
export async function deletePhotos(person: string): Promise<void> {
  const photoStore = openPhotoStore(person);
  for (const { id } of await photoStore.all()) await photoStore.delete(id);
}

/** For all persons, because some never return to this device. */
function deleteExpired(store: UseStore): Promise<void> {
  return store('readwrite', (photos) => {
    const cursors = photos.openCursor();
    cursors.onsuccess = () => {
      const cursor = cursors.result;
      if (!cursor) return;
      if (Date.now() - (cursor.value as StoredPhoto).at > LIFETIME_MS) cursor.delete();
      cursor.continue();
    };
    return promisifyRequest(photos.transaction);
  });
}
