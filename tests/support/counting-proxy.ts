import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { proxyUpgrade } from 'httpxy';

export type CountingProxy = {
  url: string;
  /** The calls since the last time this was asked, as method and path with its query. */
  calls(): string[];
  /** From now on nobody is there. */
  close(): Promise<void>;
};

/** Stands between a site and its backend, passes reads, calls and sockets on, and remembers the reads and calls. */
export async function startCountingProxy(backend: string): Promise<CountingProxy> {
  let calls: string[] = [];
  const server = createServer(async (request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const body = await buffer(request);
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of ['host', 'connection', 'content-length', 'keep-alive']) headers.delete(name);
    const answer = await fetch(`${backend}${request.url}`, {
      method: request.method,
      headers,
      body: body.length > 0 ? body : undefined,
    });
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket);
    proxyUpgrade(backend, request, socket, head, { xfwd: false, changeOrigin: true }).catch(() =>
      socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls() {
      const past = calls;
      calls = [];
      return past;
    },
    async close() {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
