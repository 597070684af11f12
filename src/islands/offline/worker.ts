import { registerRoute } from 'workbox-routing/registerRoute.js';
import { handleAlerts } from './alerts.ts';
import {
  type ChosenResponse,
  chooseResponse,
  NO_COPY_TIMEOUT_MS,
  SHOW_COPY_AFTER_MS,
} from './choose-response.ts';
import { ALERTS, OFFLINE_PATH, PAGES, PREFIX, SHELLS, WITHDRAWN_MARKS } from './names.ts';
import {
  deleteAll,
  deleteExpired,
  deleteShowing,
  findPage,
  type StoredPage,
  savePage,
} from './page-store.ts';
import {
  type Comparison,
  compareWithChanges,
  followedSlug,
  navigationTarget,
  withCheckTime,
  withSavedNote,
} from './saved-page.ts';
import { type NavigationEvent, setNavigationPreload, workerScope } from './scope.ts';

/* The readers' service worker: saves visited public pages, shows them offline, and shows alerts. It handles navigations only, and never saves personal pages. */
const scope = workerScope();
handleAlerts(scope);

scope.addEventListener('install', (event) => {
  event.waitUntil(saveShells());
  // The worker holds no state of open pages, so a newer one may answer the next navigation.
  scope.skipWaiting();
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([deleteOldCaches(), deleteExpired(), setNavigationPreload(scope)]));
});

const CACHES = [PAGES, SHELLS, WITHDRAWN_MARKS, ALERTS];

/** Deletes caches of an earlier format. */
async function deleteOldCaches(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.filter((name) => !CACHES.includes(name)).map((name) => caches.delete(name)));
}

/** Saves the offline page, and refreshes all pages that an earlier worker had saved with it. */
async function saveShells(): Promise<void> {
  const shells = await caches.open(SHELLS);
  const paths = (await shells.keys()).map(({ url }) => new URL(url).pathname);
  await shells.addAll([...new Set([OFFLINE_PATH, ...paths])]);
}

registerRoute(
  ({ request, sameOrigin, url }) =>
    sameOrigin && request.mode === 'navigate' && request.destination === 'document' && navigationTarget(url),
  ({ event: fetchEvent, params }) => {
    const event = fetchEvent as NavigationEvent;
    const target = params as NonNullable<ReturnType<typeof navigationTarget>>;
    return target.kind === 'page' ? navigateToPage(event, target.key) : navigateElsewhere(event);
  },
);

/** The page from the site. */
async function fetchFromSite({ request, preloadResponse }: NavigationEvent): Promise<Response> {
  return (await preloadResponse) ?? fetch(request);
}

async function navigateToPage(event: NavigationEvent, key: string): Promise<Response> {
  // A withdrawal after this time must not be undone by the response.
  const requestedAt = Date.now();
  const network = fetchFromSite(event);
  const saved = await findPage(key).catch(() => undefined);
  const copyCheck = saved && checkCopy(event, key, saved);
  const choice = await chooseResponse({ network, saved: copyCheck, after });
  event.waitUntil(saveResult(choice, network, key, requestedAt).catch(() => undefined));
  if (choice.show === 'network') return choice.response;
  if (choice.show === 'nothing' || !saved || !copyCheck) return findShell(OFFLINE_PATH);
  const html =
    choice.show === 'current' ? withCheckTime(saved.html, copyCheck.at()) : withSavedNote(saved.html, key);
  return new Response(html, { headers: saved.headers });
}

/** Checks a saved page. Only for live pages does the site report changes. */
function checkCopy(event: NavigationEvent, key: string, { followed }: StoredPage) {
  const slug = followedSlug(key);
  let at = 0;
  async function check(): Promise<Comparison> {
    if (!slug || !followed) throw new Error('not a live page');
    const response = await fetch(`/live/${slug}/changes?after=${followed.seq}`, {
      credentials: 'omit',
      signal: AbortSignal.timeout(SHOW_COPY_AFTER_MS),
    });
    const isGone = response.status === 410 || response.status === 404;
    if (!isGone && !response.ok) throw new Error(`${response.status}`);
    at = Date.parse(response.headers.get('date') ?? '');
    const { comparison, through } = isGone
      ? { comparison: 'gone' as const, through: undefined }
      : compareWithChanges(await response.text(), at, followed);
    // Deleted at once, whatever the pending response is.
    if (comparison === 'gone') await deleteShowing(key, through).catch(() => undefined);
    return comparison;
  }
  return {
    check() {
      const comparing = check();
      event.waitUntil(comparing.catch(() => undefined));
      return comparing;
    },
    at: () => at,
  };
}

const after = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms));

/** Saves the site's version, whatever is shown to the reader. */
async function saveResult(
  choice: ChosenResponse,
  network: Promise<Response>,
  key: string,
  requestedAt: number,
): Promise<void> {
  const response = choice.show === 'network' ? choice.response.clone() : await network;
  // The copy is current, so the rest of the response is not needed.
  if (choice.show === 'current') return response.body?.cancel();
  await savePage(key, response, { requestedAt });
}

/** The site's response, unless the connection is dead. */
const fetchInTime = (event: NavigationEvent) =>
  Promise.race([fetchFromSite(event).catch(() => undefined), after(NO_COPY_TIMEOUT_MS)]);

/** Pages that are not the same for everyone are never saved. */
const navigateElsewhere = async (event: NavigationEvent) =>
  (await fetchInTime(event)) ?? findShell(OFFLINE_PATH);

async function findShell(path: string): Promise<Response> {
  const shells = await caches.open(SHELLS);
  return (await shells.match(path)) ?? (await shells.match(OFFLINE_PATH)) ?? Response.error();
}

scope.addEventListener('message', (event) => {
  event.waitUntil(handleMessage(event.data as Partial<PageMessage>).catch(() => undefined));
});

/** Message of an open page to the worker. */
type PageMessage = {
  /** Slug of a coverage whose saved pages must be deleted. */
  deleteCoverage: string;
  /** Path of a page to save again, unless a cache returns a version before `seq`. */
  savePath: string;
  seq: number;
  /** The page was just loaded, so the browser's cached copy is sufficient. */
  isFirstLoad: boolean;
  /** Delete all pages. */
  clear: boolean;
};

async function handleMessage(message: Partial<PageMessage>): Promise<void> {
  const { deleteCoverage: slug, savePath: path, seq, isFirstLoad = false } = message;
  if (message.clear) return deleteAll();
  // First, because the rest may fail when storage is full.
  if (slug !== undefined) await deleteShowing(`/live/${slug}`, seq);
  await deleteExpired();
  const target = path === undefined ? null : navigationTarget(new URL(path, location.origin));
  if (target?.kind !== 'page') return;
  const { key } = target;
  let cache: RequestCache = isFirstLoad ? 'force-cache' : 'default';
  for (const delayMs of RETRY_DELAYS_MS) {
    const requestedAt = Date.now();
    const response = await fetch(key, { credentials: 'omit', cache });
    if (!(await savePage(key, response, { requestedAt, seq }))) return;
    cache = 'default';
    await after(delayMs);
  }
}

/**
 * Retry delays in milliseconds: the site's cache learns of a change within a second, other caches when their copy
 * expires.
 */
const RETRY_DELAYS_MS = [1500, 12_000, 0];
