import type { Draft, QueuedCommand, QueuedEntry } from './entries.ts';

/** Object stores of the outbox and their values. */
export type StoreSchema = {
  drafts: Draft;
  commands: QueuedCommand;
  device: unknown;
  photos: QueuedEntry;
  tips: QueuedEntry;
};
export type StoreName = keyof StoreSchema;

/** One transaction. Do not await anything else while it is open. */
export type StoreTransaction = {
  get<K extends StoreName>(store: K, key: string): Promise<StoreSchema[K] | undefined>;
  all<K extends StoreName>(store: K): Promise<StoreSchema[K][]>;
  put<K extends StoreName>(store: K, key: string, value: StoreSchema[K]): Promise<void>;
  delete(store: StoreName, key: string): Promise<void>;
};

/** A store whose transactions run one after another, each completely or not at all. */
export type OutboxStore = {
  /** @throws when the device cannot store data or is full */
  read<T>(task: (transaction: StoreTransaction) => Promise<T>): Promise<T>;
  /**
   * Durable when it resolves.
   * @throws as `read`; then nothing was written
   */
  write<T>(task: (transaction: StoreTransaction) => Promise<T>): Promise<T>;
};

const STORES: StoreName[] = ['drafts', 'commands', 'device', 'photos', 'tips'];

/** Version of the database. The stores of earlier versions are among `STORES`. */
const DATABASE_VERSION = 2;

/** After this time, in milliseconds, a device counts as one that stores nothing, so that people can write. */
const OPEN_TIMEOUT_MS = 6_000;

/** Name of the error of a database that does not open in time. */
export const NOT_OPENED = 'TimeoutError';

/** Opens the outbox store in IndexedDB. */
function indexedDbStore(name = 'stoppress'): OutboxStore {
  let database: Promise<IDBDatabase> | undefined;
  const reset = () => {
    database = undefined;
  };

  async function open(): Promise<IDBDatabase> {
    const opening = indexedDB.open(name, DATABASE_VERSION);
    opening.onupgradeneeded = () => {
      const { result } = opening;
      for (const store of STORES) {
        if (!result.objectStoreNames.contains(store)) result.createObjectStore(store);
      }
    };
    const opened = await withinTime(resultOf(opening));
    // A newer build wants to upgrade the database. Closing the connection lets it.
    opened.onversionchange = () => {
      reset();
      opened.close();
    };
    opened.onclose = reset;
    return opened;
  }
  function connect(): Promise<IDBDatabase> {
    database ??= open().catch((error) => {
      reset();
      throw error;
    });
    return database;
  }

  async function begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    const options = { durability: 'strict' } as const;
    try {
      return (await connect()).transaction(STORES, mode, options);
    } catch (error) {
      // The browser may close an idle connection.
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      reset();
      return (await connect()).transaction(STORES, mode, options);
    }
  }

  async function within<T>(
    mode: IDBTransactionMode,
    task: (transaction: StoreTransaction) => Promise<T>,
  ): Promise<T> {
    const transaction = await begin(mode);
    const done = endOf(transaction);
    // The error is reported by `task` or by the wait below, whichever comes first.
    done.catch(() => undefined);
    try {
      const result = await task(storeTransaction(transaction));
      await done;
      return result;
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // The transaction has already ended.
      }
      throw error;
    }
  }

  return {
    read: (task) => within('readonly', task),
    write: (task) => within('readwrite', task),
  };
}

/** @throws DOMException `NOT_OPENED` when the database has not opened in time. If it opens later, it is closed. */
function withinTime(opening: Promise<IDBDatabase>): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DOMException('The database did not open.', NOT_OPENED));
      void opening.then((late) => late.close()).catch(() => undefined);
    }, OPEN_TIMEOUT_MS);
    opening.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException('Aborted', 'AbortError'));
  });
}

function storeTransaction(transaction: IDBTransaction): StoreTransaction {
  const objectStore = (name: StoreName) => transaction.objectStore(name);
  return {
    get: (store, key) => resultOf(objectStore(store).get(key)),
    all: (store) => resultOf(objectStore(store).getAll()),
    async put(store, key, value) {
      await resultOf(objectStore(store).put(value, key));
    },
    async delete(store, key) {
      await resultOf(objectStore(store).delete(key));
    },
  };
}

let database: OutboxStore | undefined;

/** The store in IndexedDB; undefined where the browser has none. */
export function durableStore(): OutboxStore | undefined {
  database ??= hasIndexedDb() ? indexedDbStore() : undefined;
  return database;
}

/** Some browsers have no IndexedDB in private windows, or throw on access. */
function hasIndexedDb(): boolean {
  try {
    return Boolean(globalThis.indexedDB);
  } catch {
    return false;
  }
}

type EntryStore<Entry extends QueuedEntry> = {
  /** Entries in the order of creation. Deletes entries that are older than the store's limit. */
  all(): Promise<Entry[]>;
  /** @throws when the device cannot be read */
  get(id: string): Promise<Entry | undefined>;
  /** @returns whether the entry survives this page */
  put(entry: Entry): Promise<boolean>;
  /** Updates an entry that exists. */
  change(id: string, part: Partial<Entry>): Promise<void>;
  delete(id: string): Promise<void>;
};

/**
 * Entries with files. An entry that the device cannot store stays in this page's memory; a file that is too large must
 * not make texts less durable.
 * @param maxAgeMs older entries are deleted, for all persons, because some never return to this device
 */
export function entryStore<Entry extends QueuedEntry>(
  name: 'photos' | 'tips',
  maxAgeMs: number,
): EntryStore<Entry> {
  const inMemory = new Map<string, Entry>();

  /** @returns whether it was written */
  async function write(task: (transaction: StoreTransaction) => Promise<void>): Promise<boolean> {
    const written = durableStore()?.write(task);
    return (
      written?.then(
        () => true,
        () => false,
      ) ?? false
    );
  }
  async function remove(id: string): Promise<void> {
    inMemory.delete(id);
    await write((transaction) => transaction.delete(name, id));
  }

  return {
    async all() {
      const reading = durableStore()?.read((transaction) => transaction.all(name));
      const stored = ((await reading?.catch(() => undefined)) ?? []) as Entry[];
      const isExpired = ({ at }: Entry) => Date.now() - at > maxAgeMs;
      for (const { id } of stored.filter(isExpired)) await remove(id);
      const current = new Map(stored.map((entry) => [entry.id, entry]));
      for (const [id, entry] of inMemory) current.set(id, entry);
      return [...current.values()].filter((entry) => !isExpired(entry)).sort((a, b) => a.at - b.at);
    },
    get: async (id) =>
      inMemory.get(id) ??
      ((await durableStore()?.read((transaction) => transaction.get(name, id))) as Entry | undefined),
    async put(entry) {
      const isStored = await write((transaction) => transaction.put(name, entry.id, entry));
      if (isStored) inMemory.delete(entry.id);
      else inMemory.set(entry.id, entry);
      return isStored;
    },
    async change(id, part) {
      const held = inMemory.get(id);
      if (held) inMemory.set(id, { ...held, ...part });
      else
        await write(async (transaction) => {
          const stored = await transaction.get(name, id);
          if (stored) await transaction.put(name, id, { ...stored, ...part });
        });
    },
    delete: remove,
  };
}
