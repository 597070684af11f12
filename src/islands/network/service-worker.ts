/** Delay before the service worker is registered, in milliseconds. A short visit does not need it. */
export const WORKER_DELAY_MS = 10_000;

/** The registered service worker, if any. Rejects when the browser refuses it, for example in private windows. */
export const findWorker = async (): Promise<ServiceWorkerRegistration | undefined> =>
  container()?.getRegistration('/');

/**
 * Registers the service worker. If the site allows no saved pages, an existing worker updates and unregisters itself.
 * Rejects like `findWorker()`.
 */
export async function registerWorker(allowsSavedPages: boolean): Promise<ServiceWorker | null> {
  if (!allowsSavedPages) {
    await (await findWorker())?.update();
    return null;
  }
  // Bypasses HTTP caches, so that the site's setting takes effect.
  await container()?.register('/sw.js', { updateViaCache: 'none' });
  return (await container()?.ready)?.active ?? null;
}

/** In development pages change often, so no worker stores them. */
const container = () => (import.meta.env.DEV ? undefined : navigator.serviceWorker);
