import { PREFIX } from './names.ts';
import { workerScope } from './scope.ts';

/*
 * What takes the worker's place where copies are switched off: it takes away what was kept, and then itself. It answers
 * nothing, so it can break nothing either.
 */
const scope = workerScope();

scope.addEventListener('install', () => {
  scope.skipWaiting();
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(leave());
});

async function leave(): Promise<void> {
  const ours = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(ours.map((name) => caches.delete(name)));
  // Where the library notes when each of them was last used.
  indexedDB.deleteDatabase('workbox-expiration');
  await scope.registration.unregister();
}
