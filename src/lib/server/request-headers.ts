import type { ServerResponse } from 'node:http';

/**
 * Omits `Connection: keep-alive`, which is the default of HTTP/1.1 but not of HTTP/1.0. Used where the header would be
 * a large part of a short response.
 */
export function omitConnection(response: ServerResponse): void {
  if (response.shouldKeepAlive && response.req.httpVersionMinor === 1) response.removeHeader('connection');
}
