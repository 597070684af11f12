import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import sirv from 'sirv';
import { bareHeaders, onlyByHttps } from '../http/security-headers.ts';
import { acceptedEncodings, type Encoding } from './page-cache/cached-response.ts';
import { omitConnection } from './request-headers.ts';

/** Where browsers find the files of a build. */
export const ASSETS = '/_astro/';

/** A digest of the content is in each name: what has that name never changes. */
const ONE_FILE = /^[\w-][\w.-]*$/;

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

/** Beside each file stands what it is packed: src/lib/server/build/build-scripts.ts. */
const PACKED: Record<Encoding, string> = { br: '.br', gzip: '.gz', identity: '' };

/**
 * Serves scripts and styles of this build and of those that are kept; one that is gone gets a bare 404, because only
 * scripts ask for it. Whatever else goes to `next`. Files are looked for when they are asked for, because another
 * process may serve a newer build.
 * @param builds holds a folder for each build; there may be none
 * @param own the files of this build, where it could not be kept
 */
export function serveAssets(builds: string, own: string, next: RequestListener): RequestListener {
  return async (request, response) => {
    const name = nameOf(request);
    const type = name && TYPES[extname(name)];
    if (!type) return next(request, response);
    const found = await find(name, acceptedEncodings(request.headers['accept-encoding']));
    if (found) send(response, type, ...found);
    else response.writeHead(404, { ...bareHeaders(), 'content-length': 0 }).end();
  };

  async function find(name: string, encodings: readonly Encoding[]): Promise<[Encoding, Buffer] | undefined> {
    // First those that are kept: a build beneath a running server writes its own anew, under the same names.
    for (const folder of [...(await foldersOf(builds)), own]) {
      for (const encoding of encodings) {
        const body = await read(join(folder, `${name}${PACKED[encoding]}`));
        if (body) return [encoding, body];
      }
    }
    return undefined;
  }
}

function nameOf({ method, url = '' }: IncomingMessage): string | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(ASSETS)) return undefined;
  const name = url.slice(ASSETS.length).replace(/\?.*$/, '');
  return ONE_FILE.test(name) ? name : undefined;
}

/** No more of a head than it needs: for small scripts it is as long as they are. */
function send(response: ServerResponse, type: string, encoding: Encoding, body: Buffer): void {
  const head = [
    ['content-type', type],
    ['content-length', String(body.length)],
    ['cache-control', 'public,max-age=31536000,immutable'],
    ['vary', 'accept-encoding'],
    ['x-content-type-options', 'nosniff'],
    ...Object.entries(onlyByHttps()),
  ];
  if (encoding !== 'identity') head.push(['content-encoding', encoding]);
  omitConnection(response);
  response.writeHead(200, head.flat()).end(body);
}

const read = (path: string) => readFile(path).catch(() => undefined);

/** Without those that are being filled. */
const foldersOf = (builds: string): Promise<string[]> =>
  readdir(builds).then(
    (names) => names.filter((name) => !name.startsWith('.')).map((name) => join(builds, name)),
    () => [],
  );

const HOUR = 3600;

/** Serves the files of a folder that have no digest in their name (assets.ts), as they are when this is called. */
export function staticFiles(folder: string, next: RequestListener): RequestListener {
  const serve = sirv(folder, {
    etag: true,
    extensions: [],
    setHeaders(response) {
      for (const [name, value] of Object.entries(bareHeaders())) response.setHeader(name, value);
      response.setHeader('cache-control', `public, max-age=${HOUR}`);
    },
  });
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next(request, response);
    // Our files are small, and sirv never answers a range that ends before it begins.
    delete request.headers.range;
    // Files are remembered from the start: one that a new build has replaced fails when it is read, and nobody
    // else listens.
    response.once('pipe', (file) => file.once('error', () => response.destroy()));
    serve(request, response, () => next(request, response));
  };
}
