import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { SYNC_TAG } from '../../lib/domain/paths.ts';
import { accessTokens } from '../outbox/access-tokens.ts';
import { devicePerson } from '../outbox/drafts.ts';
import { commandSender } from '../outbox/rpc.ts';
import { sendCommands } from '../outbox/send-commands.ts';
import { NO_COPY_TIMEOUT_MS, SHOW_COPY_AFTER_MS } from './choose-response.ts';
import { type DeskBuild, deleteOldBuilds, findFile, findShell, saveBuild } from './desk-files.ts';
import { type FetchEvent, setNavigationPreload, workerScope } from './scope.ts';

/* The desk's service worker. It shows a page for offline writing when the desk cannot be reached. It stores that page and scripts, never responses of the desk. */
const scope = workerScope();

/** Values that the server adds before this script. */
const { edition, backend } = globalThis as unknown as { edition: DeskBuild; backend: BrowserBackend };

scope.addEventListener('install', (event) => {
  event.waitUntil(saveBuild(edition));
  // The worker holds no state of open pages, and the previous build's files stay available.
  scope.skipWaiting();
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(activate());
});

async function activate(): Promise<void> {
  await Promise.all([
    deleteOldBuilds(edition),
    setNavigationPreload(scope),
    // The page that registered the worker gets its scripts from it at once.
    scope.clients.claim(),
  ]);
}

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(navigate(event));
  else if (pathname.startsWith('/_astro/')) event.respondWith(scriptResponse(request, pathname));
});

/** Scripts are named by their content, so any copy is the same. */
async function scriptResponse(request: Request, path: string): Promise<Response> {
  return (await findFile(path).catch(() => undefined)) ?? fetch(request);
}

/** Status codes of a proxy whose site cannot be reached. */
const UNREACHABLE_STATUS = [502, 503, 504];

/** The desk's page, or the offline page when it does not arrive in time. */
async function navigate({ request, preloadResponse }: FetchEvent): Promise<Response> {
  const network = Promise.resolve(preloadResponse).then((response) => response ?? fetch(request));
  const shell = await findShell(edition).catch(() => undefined);
  const response = await Promise.race([
    network.catch(() => undefined),
    after(shell ? SHOW_COPY_AFTER_MS : NO_COPY_TIMEOUT_MS),
  ]);
  if (response && !(shell && UNREACHABLE_STATUS.includes(response.status))) return response;
  return shell ?? Response.error();
}

const after = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms));

scope.addEventListener('sync', (event) => {
  if (event.tag === SYNC_TAG) event.waitUntil(sendQueuedCommands());
});

/**
 * Sends the outbox after all pages were closed, under the session of its person. Photos wait for a page, because they
 * take longer than browsers let a worker run.
 */
async function sendQueuedCommands(): Promise<void> {
  const person = await devicePerson();
  if (!person) return;
  const { pauseReason } = await sendCommands(person, commandSender(backend, accessTokens(person)));
  // The browser retries a few times after a rejection. Without a session a retry is useless.
  if (pauseReason === 'line') throw new Error('no line');
}
