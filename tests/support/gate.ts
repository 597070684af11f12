import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Gate = {
  url: string;
  /** The paths that were asked for at this door so far. */
  asked: readonly string[];
  /** From now on nobody gets through: every connection breaks. */
  shut(): void;
  /** From now on everybody gets through, those too who were held. */
  open(): void;
  /** From now on visits of pages wait, and all else gets through. */
  holdPages(): void;
  close(): Promise<void>;
};

/** A door before a site, of an address that stays: a browser believes that it is always the same site. */
export async function startGate(target: string): Promise<Gate> {
  const asked: string[] = [];
  let state: 'open' | 'shut' | 'holding' = 'open';
  let release = Promise.withResolvers<void>();
  const isVisit = ({ headers }: IncomingMessage) => headers['sec-fetch-mode'] === 'navigate';
  const server = createServer(async (incoming, answer) => {
    if (state === 'holding' && isVisit(incoming)) await release.promise;
    if (state === 'shut') return void incoming.socket.destroy();
    const { method, url } = incoming;
    asked.push(url ?? '');
    // What a form is sent from is the site itself.
    const headers = { ...incoming.headers, ...(incoming.headers.origin ? { origin: target } : {}) };
    const passed = request(new URL(url ?? '/', target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const become = (next: typeof state) => {
    state = next;
    release.resolve();
    release = Promise.withResolvers();
  };
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut() {
      become('shut');
      server.closeAllConnections();
    },
    open: () => become('open'),
    holdPages: () => become('holding'),
    async close() {
      become('shut');
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
