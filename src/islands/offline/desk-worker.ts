import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { SYNC_TAG } from '../../lib/domain/service-worker-paths.ts';
import { accessTokens } from '../outbox/access-tokens.ts';
import { sendCommands } from '../outbox/deliver.ts';
import { devicePerson } from '../outbox/drafts.ts';
import { commandSender } from '../outbox/sender.ts';
import { DEAD_MS, PATIENCE_MS } from './choose-response.ts';
import { clearOld, type Edition, findFile, findShell, keepEdition } from './desk-files.ts';
import { type Answerable, workerScope } from './scope.ts';

/*
 * The desk's service worker: where the desk cannot be reached, a page stands in for it on which one writes. It keeps
 * that page and scripts, and never what the desk answers.
 */
const scope = workerScope();

/** What the site writes in front of this text. */
const { edition, backend } = globalThis as unknown as { edition: Edition; backend: BrowserBackend };

scope.addEventListener('install', (event) => {
  event.waitUntil(keepEdition(edition));
  // It holds nothing of the pages that are open, and theirs of the build before stay.
  scope.skipWaiting();
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(takeOver());
});

async function takeOver(): Promise<void> {
  await Promise.all([
    clearOld(edition),
    scope.registration.navigationPreload?.enable(),
    // The page that asked for the worker has its scripts from here at once.
    scope.clients.claim(),
  ]);
}

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(visit(event));
  else if (pathname.startsWith('/_astro/')) event.respondWith(scriptOf(request, pathname));
});

/** What is named by its content is the same wherever it comes from. */
async function scriptOf(request: Request, path: string): Promise<Response> {
  return (await findFile(path).catch(() => undefined)) ?? fetch(request);
}

/** A server in front of the site says so when the site is not there. */
const NOT_THERE = [502, 503, 504];

/** The desk as the site has it; where it is not there in time, the page that stands in for it. */
async function visit({ request, preloadResponse }: Answerable): Promise<Response> {
  const network = Promise.resolve(preloadResponse).then((response) => response ?? fetch(request));
  const shell = await findShell(edition).catch(() => undefined);
  const came = await Promise.race([network.catch(() => undefined), after(shell ? DEAD_MS : PATIENCE_MS)]);
  if (came && !(shell && NOT_THERE.includes(came.status))) return came;
  return shell ?? Response.error();
}

const after = (ms: number) => new Promise<undefined>((pass) => setTimeout(pass, ms));

scope.addEventListener('sync', (event) => {
  if (event.tag === SYNC_TAG) event.waitUntil(sendWhatWaits());
});

/**
 * What was pressed goes out, also when every page is closed: under the session of whoever pressed it, and under no
 * other. Photos stay for the pages: they take longer than a browser lets a worker live.
 */
async function sendWhatWaits(): Promise<void> {
  const person = await devicePerson();
  if (!person) return;
  const { pauseReason } = await sendCommands(person, commandSender(backend, accessTokens(person)));
  // The browser tries a few times more. Without a session it would be in vain: the next page goes on.
  if (pauseReason === 'line') throw new Error('no line');
}
