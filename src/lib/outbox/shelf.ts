import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import type { Draft, Press } from './kept.ts';

/** What is kept on a device, by its kind; everything of a person is told by its `person`. */
export type Kept = { drafts: Draft; presses: Press; device: unknown };
type Kind = keyof Kept;

/** One transaction. Nothing else may be waited for while it is open. */
export type Hand = {
  get<K extends Kind>(kind: K, key: string): Promise<Kept[K] | undefined>;
  all<K extends Kind>(kind: K): Promise<Kept[K][]>;
  put<K extends Kind>(kind: K, key: string, value: Kept[K]): Promise<void>;
  drop(kind: Kind, key: string): Promise<void>;
};

/** Where things are kept: one transaction after another, each done whole or not at all. */
export type Shelf = {
  /** @throws where the device keeps nothing, or has no room */
  read<T>(work: (hand: Hand) => Promise<T>): Promise<T>;
  /** Durable when it resolves. @throws as above: then nothing of it was done */
  write<T>(work: (hand: Hand) => Promise<T>): Promise<T>;
};

interface Schema extends DBSchema {
  drafts: { key: string; value: Draft };
  presses: { key: string; value: Press };
  device: { key: string; value: unknown };
}

const KINDS: Kind[] = ['drafts', 'presses', 'device'];

/** The shelf of this device, in its IndexedDB. */
export function deviceShelf(name = 'stoppress'): Shelf {
  let opening: Promise<IDBPDatabase<Schema>> | undefined;

  function open(): Promise<IDBPDatabase<Schema>> {
    opening ??= openDB<Schema>(name, 1, {
      upgrade(db) {
        for (const kind of KINDS) db.createObjectStore(kind);
      },
      // A later build wants to change what is kept: this page must not hold it up.
      blocking: (_current, _blocked, event) => close(event.target as IDBDatabase),
      terminated: forget,
    }).catch((error) => {
      forget();
      throw error;
    });
    return opening;
  }
  function forget(): void {
    opening = undefined;
  }
  function close(db: IDBDatabase): void {
    forget();
    db.close();
  }

  async function begin(mode: IDBTransactionMode) {
    const options = { durability: 'strict' } as const;
    try {
      return (await open()).transaction(KINDS, mode, options);
    } catch (error) {
      // The browser has closed it meanwhile, as it may.
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      forget();
      return (await open()).transaction(KINDS, mode, options);
    }
  }

  async function within<T>(mode: IDBTransactionMode, work: (hand: Hand) => Promise<T>): Promise<T> {
    const transaction = await begin(mode);
    // Told of by `work` or by the wait for its end, whichever is first.
    transaction.done.catch(() => undefined);
    try {
      const result = await work(handOf(transaction));
      await transaction.done;
      return result;
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // It is over already.
      }
      throw error;
    }
  }

  return {
    read: (work) => within('readonly', work),
    write: (work) => within('readwrite', work),
  };
}

function handOf(transaction: IDBPTransaction<Schema, Kind[], IDBTransactionMode>): Hand {
  const store = (kind: Kind) => transaction.objectStore(kind);
  return {
    get: <K extends Kind>(kind: K, key: string) => store(kind).get(key) as Promise<Kept[K] | undefined>,
    all: <K extends Kind>(kind: K) => store(kind).getAll() as Promise<Kept[K][]>,
    async put(kind, key, value) {
      await store(kind).put?.(value as never, key);
    },
    async drop(kind, key) {
      await store(kind).delete?.(key);
    },
  };
}

/** A shelf for as long as the page is open, where the device keeps nothing. */
export function memoryShelf(): Shelf {
  const kept = new Map<string, unknown>();
  let last: Promise<unknown> = Promise.resolve();

  function hand(entries: Map<string, unknown>): Hand {
    return {
      get: async <K extends Kind>(kind: K, key: string) =>
        structuredClone(entries.get(`${kind} ${key}`)) as Kept[K] | undefined,
      all: async <K extends Kind>(kind: K) =>
        [...entries].flatMap(([key, value]) =>
          key.startsWith(`${kind} `) ? [structuredClone(value) as Kept[K]] : [],
        ),
      async put(kind, key, value) {
        entries.set(`${kind} ${key}`, structuredClone(value));
      },
      async drop(kind, key) {
        entries.delete(`${kind} ${key}`);
      },
    };
  }
  function next<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  return {
    read: (work) => next(() => work(hand(kept))),
    write: (work) =>
      next(async () => {
        const changed = new Map(kept);
        const result = await work(hand(changed));
        kept.clear();
        for (const [key, value] of changed) kept.set(key, value);
        return result;
      }),
  };
}
