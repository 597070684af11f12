import type { ServerResponse } from 'node:http';

/**
 * Leaves out what a head says of its connection, where the answer is as short as its head: that the connection stays is
 * what HTTP/1.1 means when nothing is said (HTTP/1.0 means the contrary).
 */
export function omitConnection(response: ServerResponse): void {
  if (response.shouldKeepAlive && response.req.httpVersionMinor === 1) response.removeHeader('connection');
}
