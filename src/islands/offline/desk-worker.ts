import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { DESK_PREFIX, DESK_SHELL_PATH, deskFilesPath, SYNC_TAG } from '../../lib/domain/paths.ts';
import { accessTokens } from '../outbox/access-tokens.ts';
import { devicePerson } from '../outbox/drafts.ts';
import { commandSender } from '../outbox/rpc.ts';
import { sendCommands } from '../outbox/send-commands.ts';
import { NO_COPY_TIMEOUT_MS, SHOW_COPY_AFTER_MS } from './choose-response.ts';
import { type FetchEvent, setNavigationPreload, workerScope } from './scope.ts';

/*
 * The desk's service worker. It shows a page for offline writing when the desk cannot be reached. It stores that page,
 * which is the same for everyone, and its scripts. It never stores responses of the desk or personal data.
 */

/** A build of the site: its id and the name of its cache. */
type DeskBuild = { build: string; name: string };

const cacheName = ({ name }: DeskBuild) => `${DESK_PREFIX}${name}`;

/** Paths of scripts in a page. */
const SCRIPTS = /\/_astro\/[\w.-]+\.js/g;

/**
 * Stores the page and all scripts of a build.
 * @throws Error when something is missing; stored files are not requested again
 */
async function saveBuild(build: DeskBuild): Promise<void> {
  const cache = await caches.open(cacheName(build));
  const listPath = deskFilesPath(build.build);
  await saveFile(cache, listPath);
  const scripts: string[] = await (await cache.match(listPath))?.json();
  // Revalidated, because the browser's cached copy may be outdated.
  const shell = await fetchOk(DESK_SHELL_PATH, 'no-cache');
  const named = (await shell.clone().text()).match(SCRIPTS) ?? [];
  // A deployment may have happened between the worker and its page.
  if (!named.every((path) => scripts.includes(path))) throw new Error('the page is of another build');
  await Promise.all(scripts.map((path) => saveFile(cache, path)));
  await cache.put(DESK_SHELL_PATH, shell);
}

/** Deletes builds older than the current and the previous one, whose pages may still be open. */
async function deleteOldBuilds(build: DeskBuild): Promise<void> {
  // Cache names are in the order of creation.
  const others = (await caches.keys()).filter(
    (name) => name.startsWith(DESK_PREFIX) && name !== cacheName(build),
  );
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
}

/** A script of any stored build; undefined if missing. */
const findFile = (path: string): Promise<Response | undefined> => caches.match(path);

/** The page that stands in for the desk. */
async function findShell(build: DeskBuild): Promise<Response | undefined> {
  return (await caches.open(cacheName(build))).match(DESK_SHELL_PATH);
}

/** Stores a file unless another build already has it. */
async function saveFile(cache: Cache, path: string): Promise<void> {
  if (await cache.match(path)) return;
  await cache.put(path, (await caches.match(path)) ?? (await fetchOk(path)));
}

async function fetchOk(path: string, cache: RequestCache = 'default'): Promise<Response> {
  const response = await fetch(path, { credentials: 'omit', cache });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

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
