import { createStore, del, get, getMany, keys, promisifyRequest, set, type UseStore } from 'idb-keyval';

/** A photo on its way, as it is kept on this device. */
export type ShelvedPhoto = {
  id: string;
  /** The id of the update that it was chosen for, and of its coverage. */
  update: string;
  coverage: string;
  /** What goes out, or what was chosen for as long as it is to be made smaller. */
  blob: Blob;
  /** How often it was begun to make it smaller; null once that is over. */
  shrinkings: number | null;
  width: number | null;
  height: number | null;
  preview: string | null;
  /** The desk knows of it. */
  isKnown: boolean;
  /** Where its upload goes on. */
  uploadUrl?: string;
  /** All of it has gone out. */
  isSent: boolean;
  /** How often in a row it was found uploaded, but not made into a photo yet. */
  unmade: number;
  /** Why it is not sent, once that is settled: a code of the error catalogue. Kept until somebody has put it aside. */
  refusal: string | null;
  /** The desk knows that. */
  isGivenUp: boolean;
  /** When it was chosen: milliseconds. */
  at: number;
};

export type PhotoShelf = {
  /** All photos of this person, in the order in which they were chosen. */
  all(): Promise<ShelvedPhoto[]>;
  get(id: string): Promise<ShelvedPhoto | undefined>;
  /** @returns whether this device keeps it */
  put(photo: ShelvedPhoto): Promise<boolean>;
  /** Changes one that is there. */
  change(id: string, part: Partial<ShelvedPhoto>): Promise<void>;
  drop(id: string): Promise<void>;
};

/** What nobody came back for in this time is cleared away. The newsroom has forgotten it after a day. */
const OLD_MS = 14 * 24 * 3_600_000;

/**
 * Keeps photos on this device until the newsroom has them, apart for each person: what one person chose is never read,
 * shown or sent for another. A device that keeps nothing (a private window, a full disk) is no reason to stop.
 */
export function photoShelf(person: string): PhotoShelf {
  const place = `${person}/`;
  let opened: UseStore | undefined;
  /** Does something with what is kept; nothing where nothing can be kept. */
  async function having<T>(work: (store: UseStore) => Promise<T>): Promise<T | undefined> {
    try {
      opened ??= createStore('stoppress-photos', 'photos');
      return await work(opened);
    } catch {
      return undefined;
    }
  }

  return {
    async all() {
      await having(clearOld);
      const kept = await having(async (store) => {
        const own = (await keys<string>(store)).filter((key) => key.startsWith(place));
        return getMany<ShelvedPhoto>(own, store);
      });
      return (kept ?? []).filter((photo) => photo !== undefined).sort((a, b) => a.at - b.at);
    },
    get: (id) => having((store) => get<ShelvedPhoto>(place + id, store)),
    async put(photo) {
      return (await having((store) => set(place + photo.id, photo, store).then(() => true))) ?? false;
    },
    async change(id, part) {
      await having((store) =>
        store('readwrite', async (photos) => {
          const photo = await promisifyRequest<ShelvedPhoto | undefined>(photos.get(place + id));
          if (photo) await promisifyRequest(photos.put({ ...photo, ...part }, place + id));
        }),
      );
    },
    async drop(id) {
      await having((store) => del(place + id, store));
    },
  };
}

/** How many photos of a person are on this device and not with the desk yet; of those that were refused none waits. */
export async function photosWaiting(person: string): Promise<number> {
  return (await photoShelf(person).all()).filter(({ refusal }) => refusal === null).length;
}

/** Throws away all photos of a person that are on this device. */
export async function forgetPhotos(person: string): Promise<void> {
  const shelf = photoShelf(person);
  for (const { id } of await shelf.all()) await shelf.drop(id);
}

/** Whoever chose them: they may never come back to this device. */
function clearOld(store: UseStore): Promise<void> {
  return store('readwrite', (photos) => {
    const cursors = photos.openCursor();
    cursors.onsuccess = () => {
      const cursor = cursors.result;
      if (!cursor) return;
      if (Date.now() - (cursor.value as ShelvedPhoto).at > OLD_MS) cursor.delete();
      cursor.continue();
    };
    return promisifyRequest(photos.transaction);
  });
}
