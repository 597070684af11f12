import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sirv from 'sirv';
import { defaultHeaders, httpsHeaders } from '../http/security-headers.ts';
import { acceptedEncodings, type Encoding, omitConnection } from './page-cache/cached-response.ts';

/** URL path of a build's scripts and styles. */
const ASSETS = '/_astro/';

/** File names contain a digest of the content, so a file never changes. */
const FILE_NAME = /^[\w-][\w.-]*$/;

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

/** Compressed variants that the build writes next to each file (build/build-scripts.ts). */
const EXTENSIONS: Record<Encoding, string> = { br: '.br', gzip: '.gz', identity: '' };

/**
 * Serves scripts and styles of this build and of earlier ones. A missing file gets a 404 without a body, because only
 * scripts request it. Other requests go to `next`. The folders are read for each request, because another process may
 * deploy a newer build.
 * @param builds contains a folder for each build; may not exist
 * @param own the files of this build, used where they could not be stored in `builds`
 */
export function serveAssets(builds: string, own: string, next: RequestListener): RequestListener {
  return async (request, response) => {
    const name = nameOf(request);
    const type = name && TYPES[extname(name)];
    if (!type) return next(request, response);
    const file = await find(name, acceptedEncodings(request.headers['accept-encoding']));
    if (file) send(response, type, ...file);
    else response.writeHead(404, { ...defaultHeaders(), 'content-length': 0 }).end();
  };

  async function find(name: string, encodings: readonly Encoding[]): Promise<[Encoding, Buffer] | undefined> {
    // Stored builds first: a new build overwrites `own` under a running server, with the same file names.
    for (const folder of [...(await foldersOf(builds)), own]) {
      for (const encoding of encodings) {
        const body = await read(join(folder, `${name}${EXTENSIONS[encoding]}`));
        if (body) return [encoding, body];
      }
    }
    return undefined;
  }
}

function nameOf({ method, url = '' }: IncomingMessage): string | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(ASSETS)) return undefined;
  const name = url.slice(ASSETS.length).replace(/\?.*$/, '');
  return FILE_NAME.test(name) ? name : undefined;
}

/** Sends only the necessary headers: for small scripts they are as large as the body. */
function send(response: ServerResponse, type: string, encoding: Encoding, body: Buffer): void {
  const head = [
    ['content-type', type],
    ['content-length', String(body.length)],
    ['cache-control', 'public,max-age=31536000,immutable'],
    ['vary', 'accept-encoding'],
    ['x-content-type-options', 'nosniff'],
    // For module scripts of frames without an origin (sandbox).
    ['access-control-allow-origin', '*'],
    ...Object.entries(httpsHeaders()),
  ];
  if (encoding !== 'identity') head.push(['content-encoding', encoding]);
  omitConnection(response);
  response.writeHead(200, head.flat()).end(body);
}

const read = (path: string) => readFile(path).catch(() => undefined);

/** Without folders that are still being written. */
const foldersOf = (builds: string): Promise<string[]> =>
  readdir(builds).then(
    (names) => names.filter((name) => !name.startsWith('.')).map((name) => join(builds, name)),
    () => [],
  );

const HOUR = 3600;

/** Serves the files of a folder whose names contain no digest, as they are when this is called. */
export function staticFiles(folder: string, next: RequestListener): RequestListener {
  const serve = sirv(folder, {
    etag: true,
    extensions: [],
    setHeaders(response) {
      for (const [name, value] of Object.entries(defaultHeaders())) response.setHeader(name, value);
      response.setHeader('cache-control', `public, max-age=${HOUR}`);
    },
  });
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next(request, response);
    // The files are small, and sirv hangs on a range that ends before it begins.
    const { range } = request.headers;
    delete request.headers.range;
    // sirv lists the files once. Reading one that a new build has replaced fails, and no other listener exists.
    response.once('pipe', (file) => file.once('error', () => response.destroy()));
    serve(request, response, () => {
      if (range !== undefined) request.headers.range = range;
      next(request, response);
    });
  };
}

/** Number of earlier builds that stay, for pages opened before the last two deploys. */
const OLD_BUILDS = 2;
/** An unfinished folder is removed after this time, in ms. */
const ABANDONED_MS = 3_600_000;

const PARTIAL = '.partial-';

/**
 * Stores the browser files of a build in `<builds>/<id>` and removes old builds. Open pages find their scripts after a
 * deploy, and a new build under a running server does not remove files. Safe for several processes at once.
 * @param id of the build whose files are in `files`
 * @throws errors of the file system, after removing its partial copy
 */
export async function storeBuild(builds: string, id: string, files: string): Promise<void> {
  await mkdir(builds, { recursive: true });
  const folder = join(builds, id);
  const now = new Date();
  if (!(await touch(folder, now))) {
    const partial = join(builds, `${PARTIAL}${randomUUID()}`);
    try {
      await cp(files, partial, { recursive: true });
      await utimes(partial, now, now);
      await rename(partial, folder);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // Another process has stored the same build.
      if (!(await touch(folder, now))) throw error;
    }
  }
  await removeOldBuilds(builds, id, now.getTime());
}

/** Marks a folder as used now; false when it does not exist. */
const touch = (folder: string, now: Date) =>
  utimes(folder, now, now).then(
    () => true,
    () => false,
  );

/** When a folder was last used; null when another process has just renamed or removed it. */
async function ageOf(builds: string, name: string): Promise<{ name: string; usedAt: number } | null> {
  try {
    return { name, usedAt: (await stat(join(builds, name))).mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function removeOldBuilds(builds: string, id: string, now: number): Promise<void> {
  const folders = (await readdir(builds, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const ages = await Promise.all(folders.map(({ name }) => ageOf(builds, name)));
  const aged = ages.filter((build) => build !== null);
  const isPartial = ({ name }: { name: string }) => name.startsWith(PARTIAL);
  const others = aged.filter((build) => !isPartial(build) && build.name !== id);
  others.sort((a, b) => b.usedAt - a.usedAt);
  const abandoned = aged.filter((build) => isPartial(build) && now - build.usedAt > ABANDONED_MS);
  for (const { name } of [...others.slice(OLD_BUILDS), ...abandoned])
    await rm(join(builds, name), { recursive: true, force: true });
}

/** Delay, so that the first requests after the start come first. In milliseconds. */
const DELAY_MS = 30_000;

/**
 * Loads the remaining modules of the built program some time after the start, because the next build deletes their
 * files while this server still runs.
 * @param folder with the modules
 * @returns cancels it
 */
export function preloadModules(folder: string): () => void {
  const timer = setTimeout(async () => {
    const names = await readdir(folder).catch(() => []);
    // A module that cannot be loaded fails the request that needs it, with an error message.
    await Promise.allSettled(names.map((name) => import(pathToFileURL(join(folder, name)).href)));
  }, DELAY_MS);
  timer.unref();
  return () => clearTimeout(timer);
}
