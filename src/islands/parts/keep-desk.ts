import { isPoorLine } from '../browser/line.ts';

/** How long the desk is open before anything is fetched for a dead line. In milliseconds. */
const SETTLED_MS = 10_000;

/**
 * Has the service worker keep what stands in for the desk, for who never comes to a reader's page too. Where the site
 * wants no copies, the worker that is here learns of it, and takes itself away.
 */
export function keepDesk(keepsCopies: boolean): void {
  const container = import.meta.env.DEV ? undefined : navigator.serviceWorker;
  /** Refused in private windows and where a device has no room: then nothing is kept. */
  const begin = async () => {
    if (!keepsCopies) return (await container?.getRegistration('/'))?.update();
    if (isPoorLine()) return;
    await container?.register('/sw.js', { updateViaCache: 'none' });
    (await container?.ready)?.active?.postMessage({ desk: true });
    return;
  };
  setTimeout(() => void begin().catch(() => undefined), SETTLED_MS);
}
