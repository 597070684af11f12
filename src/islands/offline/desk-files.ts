import { DESK_PREFIX, DESK_SHELL_PATH, deskFilesPath } from '../../lib/domain/service-worker-paths.ts';

/*
 * What the desk needs to open on a dead line: a page that is the same for everybody, and scripts that never change.
 * Nothing of anybody's work is among it.
 */

/** One build of the site: its id, and what the page shows of the site. */
export type Edition = { build: string; name: string };

const nameOf = ({ name }: Edition) => `${DESK_PREFIX}${name}`;

/** Scripts that a page names. */
const SCRIPTS = /\/_astro\/[\w.-]+\.js/g;

/** Keeps the page and all scripts. @throws Error when they cannot be had whole: what came is not asked for again */
export async function keepEdition(edition: Edition): Promise<void> {
  const cache = await caches.open(nameOf(edition));
  const listPath = deskFilesPath(edition.build);
  await keepFile(cache, listPath);
  const scripts: string[] = await (await cache.match(listPath))?.json();
  // As it is now: a browser may go on with what it has while it asks.
  const shell = await got(DESK_SHELL_PATH, 'no-cache');
  const named = (await shell.clone().text()).match(SCRIPTS) ?? [];
  // Between the worker and its page a deploy may have come.
  if (!named.every((path) => scripts.includes(path))) throw new Error('the page is of another build');
  await Promise.all(scripts.map((path) => keepFile(cache, path)));
  await cache.put(DESK_SHELL_PATH, shell);
}

/** Takes away what is of older editions than this one and the one before, whose pages may be open still. */
export async function clearOld(edition: Edition): Promise<void> {
  // In the order in which they were made.
  const others = (await caches.keys()).filter(
    (name) => name.startsWith(DESK_PREFIX) && name !== nameOf(edition),
  );
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
}

/** A script of any edition that is here; undefined where it is not. */
export const findFile = (path: string): Promise<Response | undefined> => caches.match(path);

/** The page that stands in for the desk. */
export async function findShell(edition: Edition): Promise<Response | undefined> {
  return (await caches.open(nameOf(edition))).match(DESK_SHELL_PATH);
}

/** Once; what another edition has is not asked for again. */
async function keepFile(cache: Cache, path: string): Promise<void> {
  if (await cache.match(path)) return;
  await cache.put(path, (await caches.match(path)) ?? (await got(path)));
}

async function got(path: string, cache: RequestCache = 'default'): Promise<Response> {
  const response = await fetch(path, { credentials: 'omit', cache });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}
