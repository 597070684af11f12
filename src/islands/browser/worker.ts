/** How long a page is open before the worker is asked for, in milliseconds: who leaves at once pays nothing. */
export const WORKER_DELAY_MS = 10_000;

/** The service worker that is here already, if there is one. Rejects where a browser refuses it, as in private windows. */
export const findWorker = async (): Promise<ServiceWorkerRegistration | undefined> =>
  container()?.getRegistration('/');

/**
 * The service worker, asked for where there is none. Where the site wants no copies, the one that is here learns of it
 * and takes itself away. Rejects like `findWorker()`.
 */
export async function registerWorker(allowsSavedPages: boolean): Promise<ServiceWorker | null> {
  if (!allowsSavedPages) {
    await (await findWorker())?.update();
    return null;
  }
  // Whatever stands at that address, the browser asks for it anew: the switch must act.
  await container()?.register('/sw.js', { updateViaCache: 'none' });
  return (await container()?.ready)?.active ?? null;
}

/** In development pages change under one's hands: nothing of them is kept. */
const container = () => (import.meta.env.DEV ? undefined : navigator.serviceWorker);
