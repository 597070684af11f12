import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './worker.ts';

/* The fastest possible Node server: it sends a stored body with stored headers, both copied from the site. */

type Answer = { path: string; status: number; headers: string[]; body: Buffer };

/** Node adds these headers in both servers. */
const OWN = ['connection', 'keep-alive', 'transfer-encoding'];

let held: Answer = { path: '', status: 503, headers: [], body: Buffer.alloc(0) };

const server = createServer(({ url }, response) => {
  // Other requests of a browser are not answered.
  if (url !== held.path) return void response.writeHead(404).end();
  response.writeHead(held.status, held.headers);
  response.end(held.body);
});

serve({
  async listen() {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  /** Stores the response of this URL. */
  async copy({ url, headers }: { url: string; headers: Record<string, string> }) {
    held = await fetchRaw(url, headers);
    return { status: held.status, bytes: held.body.length };
  },
});

function fetchRaw(url: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { rawHeaders, statusCode = 0 } = response;
        const kept = rawHeaders.filter(
          (_, at) => !OWN.includes(rawHeaders[at - (at % 2)]?.toLowerCase() ?? ''),
        );
        const path = new URL(url).pathname + new URL(url).search;
        resolve({ path, status: statusCode, headers: kept, body: Buffer.concat(chunks) });
      });
    }).on('error', reject);
  });
}
