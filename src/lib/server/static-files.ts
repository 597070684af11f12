import type { RequestListener } from 'node:http';
import sirv from 'sirv';
import { bareHeaders } from '../http/fixed-headers.ts';

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
