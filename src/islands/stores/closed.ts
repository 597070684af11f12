import { atom, onMount, type ReadableAtom } from 'nanostores';
import { canSendClosed } from '../browser/desk-worker.ts';

const $can = atom<boolean | null>(null);

/**
 * Whether what was pressed is sent when every page of the desk is closed. Null while nobody knows: the worker may not be
 * there yet.
 */
export const $canSendClosed: ReadableAtom<boolean | null> = $can;

onMount($can, () => {
  const look = () => void canSendClosed().then((can) => $can.set(can));
  look();
  const worker = navigator.serviceWorker;
  worker?.addEventListener('controllerchange', look);
  return () => worker?.removeEventListener('controllerchange', look);
});
