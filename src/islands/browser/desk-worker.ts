import { DESK_SCOPE, DESK_WORKER_PATH, SYNC_TAG } from '../../lib/offline/desk-names.ts';

/** Background Sync, which not every browser has, nor TypeScript's description of them. */
type SyncingRegistration = ServiceWorkerRegistration & {
  sync?: { register(tag: string): Promise<void> };
};

/** In development pages change under one's hands: nothing of them is kept. */
const container = () => (import.meta.env.DEV ? undefined : navigator.serviceWorker);

/** Has the desk's worker here and up to date. Rejects where a browser refuses it, as in private windows. */
export async function askForDeskWorker(): Promise<void> {
  await container()?.register(DESK_WORKER_PATH, { scope: DESK_SCOPE, updateViaCache: 'none' });
}

async function findDeskWorker(): Promise<SyncingRegistration | undefined> {
  const found = await container()?.getRegistration(DESK_SCOPE);
  return found?.active && new URL(found.scope).pathname === DESK_SCOPE ? found : undefined;
}

/** Whether this browser sends by itself what was pressed, once it is closed. */
export async function canSendClosed(): Promise<boolean> {
  try {
    return Boolean((await findDeskWorker())?.sync);
  } catch {
    return false;
  }
}

/**
 * Asks the browser to wake the desk's worker as soon as there is a line, also when every page is closed: to be called
 * when something was pressed.
 * @returns whether it will
 */
export async function askForSync(): Promise<boolean> {
  try {
    const worker = await findDeskWorker();
    await worker?.sync?.register(SYNC_TAG);
    return Boolean(worker?.sync);
  } catch {
    // The person has forbidden it.
    return false;
  }
}
