import {
  durableStore,
  NOT_OPENED,
  type OutboxStore,
  type StoreName,
  type StoreSchema,
  type StoreTransaction,
} from './database.ts';

/** A store in memory, for browsers without IndexedDB. */
function memoryStore(): OutboxStore {
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
  const durable = memory ? undefined : durableStore();
  if (!durable) return task(pageStore());
  try {
    return await task(durable);
  } catch (error) {
    // An error of our own code would fail in the other store too.
    if (!(error instanceof DOMException)) throw error;
    return task(error.name === NOT_OPENED ? pageStore() : await moveToPageStore(durable));
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
