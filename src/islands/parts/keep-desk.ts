import { isPoorLine } from '../browser/line.ts';
import { askForWorker, SETTLED_MS } from '../browser/worker.ts';

/** Has the service worker keep what stands in for the desk, for who never comes to a reader's page too. */
export function keepDesk(keepsCopies: boolean): void {
  const begin = async () => {
    // To take itself away costs it a question only.
    if (keepsCopies && isPoorLine()) return;
    (await askForWorker(keepsCopies))?.postMessage({ desk: true });
  };
  // Refused in private windows and where a device has no room: then nothing is kept.
  setTimeout(() => void begin().catch(() => undefined), SETTLED_MS);
}
