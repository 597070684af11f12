import { PREFIX } from './names.ts';
import { workerScope } from './scope.ts';

/* Replaces the worker when saved pages are switched off: deletes all caches and unregisters itself. It handles no requests. */
const scope = workerScope();

scope.addEventListener('install', () => {
  scope.skipWaiting();
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(deleteAndUnregister());
});

async function deleteAndUnregister(): Promise<void> {
  const cacheNames = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(cacheNames.map((name) => caches.delete(name)));
  // The library's data about the last use of each page.
  indexedDB.deleteDatabase('workbox-expiration');
  await scope.registration.unregister();
}
