import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import type { Draft, QueuedCommand } from './kept.ts';

/** Object stores of the outbox and their values. */
export type StoreSchema = { drafts: Draft; commands: QueuedCommand; device: unknown };
type StoreName = keyof StoreSchema;

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

interface DatabaseSchema extends DBSchema {
  drafts: { key: string; value: Draft };
  commands: { key: string; value: QueuedCommand };
  device: { key: string; value: unknown };
}

const STORES: StoreName[] = ['drafts', 'commands', 'device'];

/** Opens the outbox store in IndexedDB. */
export function indexedDbStore(name = 'stoppress'): OutboxStore {
  let opening: Promise<IDBPDatabase<DatabaseSchema>> | undefined;

  function open(): Promise<IDBPDatabase<DatabaseSchema>> {
    opening ??= openDB<DatabaseSchema>(name, 1, {
      upgrade(db) {
        for (const store of STORES) db.createObjectStore(store);
      },
      // A newer build wants to upgrade the database. Closing the connection lets it.
      blocking: (_current, _blocked, event) => close(event.target as IDBDatabase),
      terminated: reset,
    }).catch((error) => {
      reset();
      throw error;
    });
    return opening;
  }
  function reset(): void {
    opening = undefined;
  }
  function close(db: IDBDatabase): void {
    reset();
    db.close();
  }

  async function begin(mode: IDBTransactionMode) {
    const options = { durability: 'strict' } as const;
    try {
      return (await open()).transaction(STORES, mode, options);
    } catch (error) {
      // The browser may close an idle connection.
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      reset();
      return (await open()).transaction(STORES, mode, options);
    }
  }

  async function within<T>(
    mode: IDBTransactionMode,
    task: (transaction: StoreTransaction) => Promise<T>,
  ): Promise<T> {
    const transaction = await begin(mode);
    // The error is reported by `task` or by the wait below, whichever comes first.
    transaction.done.catch(() => undefined);
    try {
      const result = await task(storeTransaction(transaction));
      await transaction.done;
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

function storeTransaction(
  transaction: IDBPTransaction<DatabaseSchema, StoreName[], IDBTransactionMode>,
): StoreTransaction {
  const objectStore = (name: StoreName) => transaction.objectStore(name);
  return {
    get: <K extends StoreName>(store: K, key: string) =>
      objectStore(store).get(key) as Promise<StoreSchema[K] | undefined>,
    all: <K extends StoreName>(store: K) => objectStore(store).getAll() as Promise<StoreSchema[K][]>,
    async put(store, key, value) {
      await objectStore(store).put?.(value as never, key);
    },
    async delete(store, key) {
      await objectStore(store).delete?.(key);
    },
  };
}

/** A store in memory, for browsers without IndexedDB. */
export function memoryStore(): OutboxStore {
  const stored = new Map<string, unknown>();
  let lastTask: Promise<unknown> = Promise.resolve();

  function memoryTransaction(entries: Map<string, unknown>): StoreTransaction {
    return {
      get: async <K extends StoreName>(store: K, key: string) =>
        structuredClone(entries.get(`${store} ${key}`)) as StoreSchema[K] | undefined,
      all: async <K extends StoreName>(store: K) =>
        [...entries].flatMap(([key, value]) =>
          key.startsWith(`${store} `) ? [structuredClone(value) as StoreSchema[K]] : [],
        ),
      async put(store, key, value) {
        entries.set(`${store} ${key}`, structuredClone(value));
      },
      async delete(store, key) {
        entries.delete(`${store} ${key}`);
      },
    };
  }
  function inSequence<T>(task: () => Promise<T>): Promise<T> {
    const result = lastTask.then(task);
    lastTask = result.catch(() => undefined);
    return result;
  }

  return {
    read: (task) => inSequence(() => task(memoryTransaction(stored))),
    write: (task) =>
      inSequence(async () => {
        const changed = new Map(stored);
        const result = await task(memoryTransaction(changed));
        stored.clear();
        for (const [key, value] of changed) stored.set(key, value);
        return result;
      }),
  };
}
