import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import sirv from 'sirv';
import { defaultHeaders, httpsHeaders } from '../http/security-headers.ts';
import { acceptedEncodings, type Encoding } from './page-cache/cached-response.ts';
import { omitConnection } from './page-cache/send.ts';

/** URL path of a build's scripts and styles. */
export const ASSETS = '/_astro/';

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
    delete request.headers.range;
    // sirv lists the files once. Reading one that a new build has replaced fails, and no other listener exists.
    response.once('pipe', (file) => file.once('error', () => response.destroy()));
    serve(request, response, () => next(request, response));
  };
}
