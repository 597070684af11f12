import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a fake site answers to a request for a part. */
type PartAnswer = { status?: number; headers?: Record<string, string>; body?: string };

/** `down` cuts the connection. `slow` sends nothing. */
type Answer = PartAnswer | 'down' | 'slow';

export type FakeSite = {
  url: string;
  /** Requests for parts since the last call of `forget()`. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Changes the answer, to all requests or by path. */
  answer(next: Answer | ((path: string) => Answer)): void;
  /** Changes the answer to requests for the list of coverages. */
  list(body: string): void;
  forget(): void;
  stop(): Promise<void>;
};

/** A part as the site sends it (docs/embedding.md), with this content. */
export const partOf = (content: string, { style = '', data = '' } = {}): string =>
  [
    `<style>${style}</style>`,
    `<div class="stoppress" lang="en" data-layout="full" data-status="live" data-seq="1">${content}</div>`,
    data && `<script type="application/ld+json">${data}</script>`,
  ].join('');

/** A server that answers like a site, but with what a test wants. */
export async function startFakeSite(): Promise<FakeSite> {
  const requests: FakeSite['requests'] = [];
  let answerTo: (path: string) => Answer = () => ({ body: partOf('<h2>Flood</h2>') });
  let list = JSON.stringify({ coverages: [{ slug: 'flood', title: 'The flood', status: 'live' }] });
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const isPart = path.startsWith('/live/');
    if (isPart) requests.push({ path, headers: request.headers });
    const answer = answerTo(path);
    if (answer === 'down') request.socket.destroy();
    if (answer === 'down' || (answer === 'slow' && isPart)) return;
    const part: PartAnswer =
      isPart && answer !== 'slow' ? answer : { headers: { 'content-type': 'application/json' }, body: list };
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'stoppress-status': 'live',
      ...part.headers,
    };
    const etag = part.headers?.etag;
    if (etag && request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
    else response.writeHead(part.status ?? 200, headers).end(part.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(next) {
      answerTo = typeof next === 'function' ? next : () => next;
    },
    list(body) {
      list = body;
    },
    forget: () => requests.splice(0),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
