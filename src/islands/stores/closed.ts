import { atom, onMount, type ReadableAtom } from 'nanostores';
import { canSendInBackground } from '../browser/desk-worker.ts';

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
