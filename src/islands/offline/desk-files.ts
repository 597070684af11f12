import { DESK_PREFIX, DESK_SHELL_PATH, deskFilesPath } from '../../lib/domain/paths.ts';

/* Stores what the desk needs to open offline: one page that is the same for everyone, and its scripts. It contains no personal data. */

/** A build of the site: its id and the name of its cache. */
export type DeskBuild = { build: string; name: string };

const cacheName = ({ name }: DeskBuild) => `${DESK_PREFIX}${name}`;

/** Paths of scripts in a page. */
const SCRIPTS = /\/_astro\/[\w.-]+\.js/g;

/**
 * Stores the page and all scripts of a build.
 * @throws Error when something is missing; stored files are not requested again
 */
export async function saveBuild(build: DeskBuild): Promise<void> {
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
export async function deleteOldBuilds(build: DeskBuild): Promise<void> {
  // Cache names are in the order of creation.
  const others = (await caches.keys()).filter(
    (name) => name.startsWith(DESK_PREFIX) && name !== cacheName(build),
  );
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
}

/** A script of any stored build; undefined if missing. */
export const findFile = (path: string): Promise<Response | undefined> => caches.match(path);

/** The page that stands in for the desk. */
export async function findShell(build: DeskBuild): Promise<Response | undefined> {
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
