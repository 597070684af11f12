import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

export type HoldingProxy = {
  url: string;
  /** How often a socket was asked for, which it gives nobody. */
  sockets(): number;
  close(): Promise<void>;
};

/** Lost on the way, as by proxies that mean well. */
const LOST = ['etag', 'content-length', 'transfer-encoding', 'content-encoding', 'connection', 'keep-alive'];

/**
 * A proxy of the wrong sort before a site: it holds each answer back until it has all of it, packs it anew, drops its
 * ETag, has its own mind about caching, and takes an Upgrade for an ordinary request.
 */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  let asked = 0;
  const server = createServer(async (incoming, answer) => {
    const { method, url } = incoming;
    const { upgrade, ...headers } = incoming.headers;
    if (upgrade) asked++;
    const body = await buffer(incoming);
    const own = { ...headers, connection: 'close', 'accept-encoding': 'identity' };
    const passed = request(new URL(url ?? '/', target), { method, headers: own }, async (response) => {
      const whole = gzipSync(await buffer(response));
      const kept = Object.entries(response.headers).filter(([name]) => !LOST.includes(name));
      answer.writeHead(response.statusCode ?? 502, {
        ...Object.fromEntries(kept),
        'cache-control': 'no-cache',
        'content-encoding': 'gzip',
      });
      answer.end(method === 'HEAD' || response.statusCode === 304 ? undefined : whole);
    });
    passed.on('error', () => incoming.socket.destroy());
    passed.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets: () => asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
