import { registerRoute } from 'workbox-routing/registerRoute.js';
import { hearAlerts } from './alerts.ts';
import { type Choice, choose, DEAD_MS, PATIENCE_MS } from './choose-response.ts';
import { ALERTS, OFFLINE_PATH, PAGES, PREFIX, SHELLS, TAKEN_BACK } from './names.ts';
import { type Copy, clear, find, forget, keep, tidy } from './page-store.ts';
import { confirmed, followedSlug, judge, marked, type Verdict, visitedAt } from './saved-page.ts';
import { type Visit, workerScope } from './scope.ts';

/*
 * The service worker: keeps the public pages that were seen, and shows them where the line is dead; and it shows alerts.
 * It answers visits of pages and nothing else; what belongs to somebody is never kept and never answered from here.
 */
const scope = workerScope();
hearAlerts(scope);

scope.addEventListener('install', (event) => {
  event.waitUntil(keepShells());
  // It holds nothing of the pages that are open: the next visit may be answered by the newer one.
  scope.skipWaiting();
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([clearFormer(), tidy(), scope.registration.navigationPreload?.enable()]));
});

const OURS = [PAGES, SHELLS, TAKEN_BACK, ALERTS];

/** What a former worker kept in another form. */
async function clearFormer(): Promise<void> {
  const former = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(former.filter((name) => !OURS.includes(name)).map((name) => caches.delete(name)));
}

/** What stands in for a page, and all of it anew that a former worker had. */
async function keepShells(): Promise<void> {
  const shells = await caches.open(SHELLS);
  const had = (await shells.keys()).map(({ url }) => new URL(url).pathname);
  await shells.addAll([...new Set([OFFLINE_PATH, ...had])]);
}

registerRoute(
  ({ request, sameOrigin, url }) =>
    sameOrigin && request.mode === 'navigate' && request.destination === 'document' && visitedAt(url),
  ({ event, params }) => {
    const visit = event as Visit;
    const visited = params as NonNullable<ReturnType<typeof visitedAt>>;
    return visited.kind === 'page' ? visitPage(visit, visited.key) : visitOther(visit);
  },
);

/** The page as the site has it. */
async function fromSite({ request, preloadResponse }: Visit): Promise<Response> {
  return (await preloadResponse) ?? fetch(request);
}

async function visitPage(visit: Visit, key: string): Promise<Response> {
  // What was taken back meanwhile must not come back with it.
  const leftAt = Date.now();
  const network = fromSite(visit);
  const saved = await find(key).catch(() => undefined);
  const question = saved && askAbout(visit, key, saved);
  const choice = await choose({ network, saved: question, after });
  visit.waitUntil(remember(choice, network, key, leftAt).catch(() => undefined));
  if (choice.show === 'network') return choice.response;
  if (choice.show === 'nothing' || !saved || !question) return shellOf(OFFLINE_PATH);
  const html = choice.show === 'current' ? confirmed(saved.html, question.at()) : marked(saved.html, key);
  return new Response(html, { headers: saved.headers });
}

/** A question about a saved page; only of a live page can the site say what has changed since. */
function askAbout(visit: Visit, key: string, { followed }: Copy) {
  const slug = followedSlug(key);
  let at = 0;
  async function ask(): Promise<Verdict> {
    if (!slug || !followed) throw new Error('nobody knows');
    const answer = await fetch(`/live/${slug}/changes?after=${followed.seq}`, {
      credentials: 'omit',
      signal: AbortSignal.timeout(DEAD_MS),
    });
    const isGone = answer.status === 410 || answer.status === 404;
    if (!isGone && !answer.ok) throw new Error(`${answer.status}`);
    at = Date.parse(answer.headers.get('date') ?? '');
    const { verdict, through } = isGone
      ? { verdict: 'gone' as const, through: undefined }
      : judge(await answer.text(), at, followed);
    // At once, whatever becomes of the page that is waited for.
    if (verdict === 'gone') await forget(key, through).catch(() => undefined);
    return verdict;
  }
  return {
    ask() {
      const asked = ask();
      visit.waitUntil(asked.catch(() => undefined));
      return asked;
    },
    at: () => at,
  };
}

const after = (ms: number) => new Promise<undefined>((pass) => setTimeout(pass, ms));

/** Whatever the reader is shown, the shelf comes to hold what the site has. */
async function remember(
  choice: Choice,
  network: Promise<Response>,
  key: string,
  leftAt: number,
): Promise<void> {
  const response = choice.show === 'network' ? choice.response.clone() : await network;
  // The site has said that it is the same: a slow line is spared what is left of it.
  if (choice.show === 'current') return response.body?.cancel();
  await keep(key, response, { leftAt });
}

/** What the site answers, unless the line is dead or swallows what is sent. */
const inTime = (visit: Visit) => Promise.race([fromSite(visit).catch(() => undefined), after(PATIENCE_MS)]);

/** Accounts, and whatever is not the same for everybody: never kept. */
const visitOther = async (visit: Visit) => (await inTime(visit)) ?? shellOf(OFFLINE_PATH);

async function shellOf(path: string): Promise<Response> {
  const shells = await caches.open(SHELLS);
  return (await shells.match(path)) ?? (await shells.match(OFFLINE_PATH)) ?? Response.error();
}

scope.addEventListener('message', (event) => {
  event.waitUntil(obey(event.data as Partial<Errand>).catch(() => undefined));
});

/** What an open page asks of the worker. */
type Errand = {
  /** Throw away whatever shows something of the coverage with this slug. */
  forget: string;
  /** Save the page at this address anew, unless some cache still has it from before this change. */
  keep: string;
  seq: number;
  /** It has just been loaded: what the browser itself has of it will do, and costs the line nothing. */
  first: boolean;
  /** Throw away every page. */
  clear: boolean;
};

async function obey(errand: Partial<Errand>): Promise<void> {
  const { forget: slug, keep: path, seq, first = false } = errand;
  if (errand.clear) return clear();
  await tidy();
  if (slug !== undefined) await forget(`/live/${slug}`, seq);
  const visited = path === undefined ? null : visitedAt(new URL(path, location.origin));
  if (visited?.kind !== 'page') return;
  const { key } = visited;
  let cache: RequestCache = first ? 'force-cache' : 'default';
  for (const wait of CACHES_FORGET_MS) {
    const leftAt = Date.now();
    const response = await fetch(key, { credentials: 'omit', cache });
    if (!(await keep(key, response, { leftAt, seq }))) return;
    cache = 'default';
    await after(wait);
  }
}

/** The site's own cache learns of a change within a second, one elsewhere when its copy is too old. */
const CACHES_FORGET_MS = [1500, 12_000, 0];
