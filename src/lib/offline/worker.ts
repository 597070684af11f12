import { registerRoute } from 'workbox-routing/registerRoute.js';
import { type Choice, choose, DEAD_MS } from './choose.ts';
import { DESK_SHELL_PATH, OFFLINE_PATH, PAGES, PREFIX, SHELLS } from './names.ts';
import { confirmed, judge, marked, type Verdict } from './page.ts';
import { type Visit, workerScope } from './scope.ts';
import { type Copy, find, forget, keep } from './shelf.ts';
import { followedSlug, mayShow, visitedAt } from './visited.ts';

/*
 * The service worker: keeps the public pages that were seen, and shows them where the line is dead. It answers visits
 * of pages and nothing else; what belongs to somebody is never kept and never answered from here.
 */
const scope = workerScope();

scope.addEventListener('install', (event) => {
  event.waitUntil(keepShells());
  // It holds nothing of the pages that are open: the next visit may be answered by the newer one.
  scope.skipWaiting();
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([clearFormer(), scope.registration.navigationPreload?.enable()]));
});

/** What a former worker kept in another form. */
async function clearFormer(): Promise<void> {
  const former = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(
    former.filter((name) => name !== PAGES && name !== SHELLS).map((name) => caches.delete(name)),
  );
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
    if (visited.kind === 'page') return visitPage(visit, visited.key);
    return visited.kind === 'desk' ? visitDesk(visit) : visitOther(visit);
  },
);

/** The page as the site has it. */
async function fromSite({ request, preloadResponse }: Visit): Promise<Response> {
  return (await preloadResponse) ?? fetch(request);
}

async function visitPage(visit: Visit, key: string): Promise<Response> {
  const network = fromSite(visit);
  const spare = network.then((response) => response.clone());
  const saved = await find(key).catch(() => undefined);
  const question = saved && askAbout(key, saved);
  const choice = await choose({ network, saved: question, after });
  visit.waitUntil(remember(choice, spare, key).catch(() => undefined));
  if (choice.show === 'network') return choice.response;
  if (choice.show === 'nothing' || !saved || !question) return shellOf(OFFLINE_PATH);
  const html = choice.show === 'current' ? confirmed(saved.html, question.at()) : marked(saved.html);
  return new Response(html, { headers: saved.headers });
}

/** A question about a saved page; only of a live page can the site say what has changed since. */
function askAbout(key: string, { followed }: Copy) {
  const slug = followedSlug(key);
  let at = 0;
  return {
    async ask(): Promise<Verdict> {
      if (!slug || !followed) throw new Error('nobody knows');
      const answer = await fetch(`/live/${slug}/changes?after=${followed.seq}`, {
        credentials: 'omit',
        signal: AbortSignal.timeout(DEAD_MS),
      });
      if (answer.status === 410 || answer.status === 404) return 'gone';
      if (!answer.ok) throw new Error(`${answer.status}`);
      at = Date.parse(answer.headers.get('date') ?? '');
      return judge(await answer.text(), at, followed);
    },
    at: () => at,
  };
}

const after = (ms: number) => new Promise<void>((pass) => setTimeout(pass, ms));

/** Whatever the reader is shown, the shelf comes to hold what the site has. */
async function remember(choice: Choice, spare: Promise<Response>, key: string): Promise<void> {
  if ('forget' in choice && choice.forget) await throwAway(key);
  await keep(key, await spare);
}

async function throwAway(key: string): Promise<void> {
  const slug = followedSlug(key);
  await forget((kept) => (slug === undefined ? kept === key : mayShow(kept, slug)));
}

/** The desk and accounts: never kept. Where they cannot be reached, a page says so that has nothing of theirs in it. */
async function visitDesk(visit: Visit): Promise<Response> {
  try {
    const response = await fromSite(visit);
    visit.waitUntil(keepDeskShell().catch(() => undefined));
    return response;
  } catch {
    return shellOf(DESK_SHELL_PATH);
  }
}

/** Readers, who never come to the desk, do not pay for it. */
async function keepDeskShell(): Promise<void> {
  const shells = await caches.open(SHELLS);
  if (!(await shells.match(DESK_SHELL_PATH))) await shells.add(DESK_SHELL_PATH);
}

const visitOther = (visit: Visit) => fromSite(visit).catch(() => shellOf(OFFLINE_PATH));

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
};

async function obey({ forget: slug, keep: path, seq = 0 }: Partial<Errand>): Promise<void> {
  if (slug !== undefined) await forget((kept) => mayShow(kept, slug));
  const visited = path === undefined ? null : visitedAt(new URL(path, location.origin));
  if (visited?.kind !== 'page') return;
  for (const wait of CACHES_FORGET_MS) {
    if (!(await keep(visited.key, await fetch(visited.key, { credentials: 'omit' }), seq))) return;
    await after(wait);
  }
}

/** The site's own cache learns of a change within a second, one elsewhere when its copy is too old. */
const CACHES_FORGET_MS = [1500, 12_000, 0];
