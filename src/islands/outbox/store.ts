import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import type { UpdateForm } from '../../lib/data/update-form.ts';
import type { CommandKind } from '../../lib/domain/commands.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import type { Refusal } from '../../lib/i18n/refusals.ts';

/**
 * The version of an update that a text replaces. `command` names the queued command that will create that version,
 * until the backend has answered it. `version` is null for an update that the backend does not have.
 */
export type BaseVersion = { version: number | null; command: string | null };

/** Unsaved input of one form, as stored on this device. */
export type Draft<Form = unknown, Before = unknown> = {
  /** Key of the stored draft. See `draftKey`. */
  key: string;
  person: string;
  coverage: string;
  /** `new` for the composer, the id of an update that was opened again, or the name of a panel. */
  scope: string;
  /** Id of the update. */
  id: string;
  base: BaseVersion;
  form: Form;
  /** The update when editing began. */
  before: Before | null;
  /** Content that a choice between two versions has put aside. */
  aside?: Form | null;
  /** Whether the backend has exactly this content. */
  isSaved: boolean;
  /** Error that the backend returned for the autosave, until the draft gets another base. */
  refusal?: Refusal | null;
  /** Random id, replaced at each change. A tab compares it to notice a change by another tab. */
  changeId: string;
  /** Time of the last change, in milliseconds since 1970. */
  at: number;
};

/** One RPC call of a command. Its idempotency key never changes, so the database runs a repeated call once. */
export type CommandCall = {
  idempotencyKey: string;
  action: string;
  args: Readonly<Record<string, unknown>>;
  /** Whether the call sends the base version that is known when it is made. */
  isVersioned: boolean;
  isDone: boolean;
};

/** State of the update after the command, and when the backend answered (milliseconds since 1970). */
export type CommandResult = {
  at: number;
  version: number | null;
  number: number | null;
  state: string | null;
};

/** A command as stored on this device, until its result has been shown. */
export type QueuedCommand<Edited = unknown> = {
  id: string;
  /** Position in the order of creation on this device. */
  position: number;
  person: string;
  coverage: string;
  slug: string;
  /** Id of the changed update, or of the coverage. Commands of one subject are sent in order. */
  subject: string;
  kind: CommandKind;
  base: BaseVersion;
  /** For an autosave, the `changeId` of the draft that it saves. */
  changeId: string | null;
  calls: CommandCall[];
  /** Number of attempts to send. A command that was sent once may have been executed, so it cannot be recalled. */
  attempts: number;
  /** Number of internal errors of the backend. Absent in commands of earlier builds. */
  faults?: number;
  /** Beginning of the text, shown as a label. */
  title: string;
  /** Content to restore in an editor. */
  edited: Edited | null;
  /** `held`: recalled before it was sent. Its content can be edited. */
  state: 'waiting' | 'held' | 'refused' | 'done';
  refusal: Refusal | null;
  result: CommandResult | null;
};

/** A command as its creator provides it. The outbox adds the rest. */
export type NewCommand<Edited = unknown> = Pick<
  QueuedCommand<Edited>,
  'id' | 'person' | 'coverage' | 'slug' | 'subject' | 'kind' | 'title' | 'edited'
> & { base: BaseVersion; calls: Pick<CommandCall, 'action' | 'args' | 'isVersioned'>[] };

export function draftKey(draft: Pick<Draft, 'person' | 'coverage' | 'scope' | 'id'>): string {
  return [draft.person, draft.coverage, draft.scope, draft.id].join('/');
}

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

/** Key of the signed-in person's id in the store `device`. */
export const PERSON = 'person';

let database: OutboxStore | undefined;
/** Set once IndexedDB has failed. From then on only this page's memory is used. */
let memory: OutboxStore | undefined;

/** Whether data written last survives this page. */
export const isDurable = (): boolean => memory === undefined;

/** Reads from the outbox store. */
export function readStore<T>(task: (transaction: StoreTransaction) => Promise<T>): Promise<T> {
  return withStore((store) => store.read(task));
}

/** Writes to the outbox store in one transaction. */
export function writeStore<T>(task: (transaction: StoreTransaction) => Promise<T>): Promise<T> {
  return withStore((store) => store.write(task));
}

async function withStore<T>(task: (store: OutboxStore) => Promise<T>): Promise<T> {
  if (memory) return task(memory);
  database ??= hasIndexedDb() ? indexedDbStore() : undefined;
  if (!database) return task(pageStore());
  try {
    return await task(database);
  } catch (error) {
    // An error of our own code would fail in the other store too.
    if (!(error instanceof DOMException)) throw error;
    return task(await moveToPageStore(database));
  }
}

/** Some browsers have no IndexedDB in private windows, or throw on access. */
function hasIndexedDb(): boolean {
  try {
    return Boolean(globalThis.indexedDB);
  } catch {
    return false;
  }
}

function pageStore(): OutboxStore {
  memory ??= memoryStore();
  return memory;
}

/** Copies the readable data to memory, so that waiting commands are still sent in order. */
async function moveToPageStore(from: OutboxStore): Promise<OutboxStore> {
  const [drafts, commands, person] = await from
    .read(
      async (transaction) =>
        [
          await transaction.all('drafts'),
          await transaction.all('commands'),
          await transaction.get('device', PERSON),
        ] as const,
    )
    .catch(() => [[], [], undefined] as const);
  if (memory) return memory;
  const to = pageStore();
  await to.write(async (transaction) => {
    for (const draft of drafts) await transaction.put('drafts', draft.key, draft);
    for (const command of commands) await transaction.put('commands', command.id, command);
    if (person) await transaction.put('device', PERSON, person);
  });
  return to;
}

/** The update in an editor and the version that it is based on. */
export type EditedUpdate = {
  id: string;
  /** Version to save over; null when the backend does not have the update. */
  version: number | null;
  /** The update when editing began; none for a new one. */
  before?: DeskUpdate;
  form: UpdateForm;
};
