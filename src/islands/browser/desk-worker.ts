import { DESK_SCOPE, DESK_WORKER_PATH, SYNC_TAG } from '../../lib/offline/desk-names.ts';

/** Background Sync, which TypeScript does not describe and some browsers do not have. */
type SyncRegistration = ServiceWorkerRegistration & {
  sync?: { register(tag: string): Promise<void> };
};

/** In development pages change often, so no worker stores them. */
const container = () => (import.meta.env.DEV ? undefined : navigator.serviceWorker);

/**
 * Registers or updates the desk's service worker. Rejects when the browser refuses it, for example in private windows.
 */
export async function registerDeskWorker(): Promise<void> {
  await container()?.register(DESK_WORKER_PATH, { scope: DESK_SCOPE, updateViaCache: 'none' });
}

async function findDeskWorker(): Promise<SyncRegistration | undefined> {
  const registration = await container()?.getRegistration(DESK_SCOPE);
  return registration?.active && new URL(registration.scope).pathname === DESK_SCOPE
    ? registration
    : undefined;
}

/** Whether this browser can send commands after its pages were closed. */
export async function canSendInBackground(): Promise<boolean> {
  try {
    return Boolean((await findDeskWorker())?.sync);
  } catch {
    return false;
  }
}

/**
 * Asks the browser to wake the desk's worker when there is a connection, even after all pages were closed.
 * @returns whether the browser supports it
 */
export async function requestBackgroundSync(): Promise<boolean> {
  try {
    const worker = await findDeskWorker();
    await worker?.sync?.register(SYNC_TAG);
    return Boolean(worker?.sync);
  } catch {
    // The person denied the permission.
    return false;
  }
}
