import { atom, onMount, type ReadableAtom } from 'nanostores';
import { DESK_SCOPE, DESK_WORKER_PATH, SYNC_TAG } from '../../lib/domain/paths.ts';
import { onOutboxEvent } from './broadcast.ts';
import { readPendingCommands } from './commands.ts';

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
async function canSendInBackground(): Promise<boolean> {
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
async function requestBackgroundSync(): Promise<boolean> {
  try {
    const worker = await findDeskWorker();
    await worker?.sync?.register(SYNC_TAG);
    return Boolean(worker?.sync);
  } catch {
    // The person denied the permission.
    return false;
  }
}

/** Requests Background Sync whenever this person has waiting commands. Returns a function that stops it. */
export function requestSyncForCommands(person: string): () => void {
  async function requestIfQueued(): Promise<void> {
    if ((await readPendingCommands(person)).some(({ state }) => state === 'waiting'))
      await requestBackgroundSync();
  }
  void requestIfQueued();
  return onOutboxEvent((event) => {
    if (event.type === 'commands' && event.person === person) void requestIfQueued();
  });
}

const $isAvailable = atom<boolean | null>(null);

/**
 * Whether the browser sends commands after all desk pages were closed. Null until it is known, because the service
 * worker may not be registered yet.
 */
export const $canSendInBackground: ReadableAtom<boolean | null> = $isAvailable;

onMount($isAvailable, () => {
  const check = () => void canSendInBackground().then((isAvailable) => $isAvailable.set(isAvailable));
  check();
  const worker = navigator.serviceWorker;
  worker?.addEventListener('controllerchange', check);
  return () => worker?.removeEventListener('controllerchange', check);
});
