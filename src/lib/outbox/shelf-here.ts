import { indexedDbStore, memoryStore, type OutboxStore, type StoreTransaction } from './shelf.ts';

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
