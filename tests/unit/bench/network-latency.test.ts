import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type NetworkProfile, startLatencyProxy, UNLIMITED } from '../../support/network-latency.ts';

const ROUND_TRIP = 40;
const PROFILE: NetworkProfile = { roundTrip: ROUND_TRIP, up: UNLIMITED, down: UNLIMITED };

/** A server whose response to /n has n bytes including its head. */
async function startServer(): Promise<string> {
  return listen(
    createServer((socket) => {
      socket.on('data', (request) => {
        const bytes = Number(/^GET \/(\d+)/.exec(String(request))?.[1]);
        const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
        // The length has five digits.
        const body = bytes - head(10_000).length;
        socket.write(head(body).replace(/\d+\r\n\r/, (end) => end.padStart(8, '0')) + 'x'.repeat(body));
      });
    }),
  );
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(target: string, profile: NetworkProfile = PROFILE) {
  const line = await startLatencyProxy(target, profile);
  onTestFinished(() => line.close());
  return line;
}

/** Fetches a URL. @returns its duration in ms */
async function fetchBytes(url: string, agent: Agent | false = false): Promise<number> {
  const begun = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  get(url, { agent }, (response) => buffer(response).then(resolve, reject)).on('error', reject);
  await promise;
  return performance.now() - begun;
}

test.each([
  [14_600, [14_600]],
  [14_601, [14_600, 1]],
  [43_800, [14_600, 29_200]],
  [43_801, [14_600, 29_200, 1]],
])('delivers %d bytes in the round trips that TCP needs', async (bytes, rounds) => {
  const line = await open(await startServer());
  const took = await fetchBytes(`${line.url}/${bytes}`);
  expect(line.exchanges()).toMatchObject([{ request: `GET /${bytes}`, down: bytes, rounds, connection: 1 }]);
  expect(line.bytes()).toEqual({ up: line.exchanges()[0]?.up, down: bytes });
  // One more round trip for the handshake.
  expect(took).toBeGreaterThanOrEqual((rounds.length + 1) * ROUND_TRIP);
});

test('needs no handshake on a kept connection, and starts with a larger window', async () => {
  const line = await open(await startServer());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await fetchBytes(`${line.url}/43800`, agent);
  line.reset();
  await fetchBytes(`${line.url}/43800`, agent);
  await fetchBytes(`${line.url}/100`, agent);
  expect(line.exchanges()).toMatchObject([
    { connection: 1, rounds: [43_800] },
    { connection: 1, rounds: [100] },
  ]);
});

test('shares one rate among all connections', async () => {
  const line = await open(await startServer(), { ...PROFILE, down: 200_000 });
  const begun = performance.now();
  await Promise.all([1, 2].map(() => fetchBytes(`${line.url}/14600`)));
  const ms = (2 * 14_600) / 200;
  expect(performance.now() - begun).toBeGreaterThanOrEqual(2 * ROUND_TRIP + ms);
});

test('supports half-closed connections, and passes resets on', async () => {
  const ends: Promise<unknown>[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    ends.push(buffer(socket).then((request) => socket.end(`${request} is received`)));
  });
  const line = await open(await listen(server));
  const connectSocket = async () => {
    const socket = connect({ port: Number(new URL(line.url).port), host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return socket;
  };
  const halfClosed = await connectSocket();
  halfClosed.end('this');
  expect(String(await buffer(halfClosed))).toBe('this is received');

  const reset = await connectSocket();
  reset.write('that');
  await expect.poll(() => ends.length).toBe(2);
  reset.resetAndDestroy();
  await expect(ends[1]).rejects.toMatchObject({ code: 'ECONNRESET' });

  server.close();
  const late = await connectSocket();
  await expect(buffer(late)).rejects.toMatchObject({ code: 'ECONNRESET' });
});
