import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect as connectTo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connectionTarget,
  isPublicAddress,
  type NetworkAccess,
  readLink,
} from '../../../supabase/functions/_shared/network.ts';
import { PAGE_LIMITS } from '../../../supabase/functions/_shared/open-address.ts';
import { unfurl } from '../../../supabase/functions/unfurl-link/unfurl.ts';

/** A public address. No connection to it is made. */
const OPEN = '93.184.216.34';
const SHORT = { ...PAGE_LIMITS, ms: 100 };

let server: Server;
const sockets = new Set<Socket>();
const pages: Record<string, RequestListener> = {};

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (page) page(request, response);
    else response.writeHead(404).end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close().closeAllConnections());

type Seen = { resolved: string[]; connected: string[] };

/** A fake network: names have these addresses, one set per query, and connections lead to the test server. */
function netOf(names: Record<string, string[][]>): NetworkAccess & Seen {
  const seen: Seen = { resolved: [], connected: [] };
  return {
    ...seen,
    async resolve(name) {
      seen.resolved.push(name);
      const answers = names[name];
      return answers?.shift() ?? [];
    },
    async connect(address, { isSecure }) {
      seen.connected.push(`${isSecure ? 'https' : 'http'} ${address}`);
      const socket = connectTo((server.address() as AddressInfo).port, '127.0.0.1');
      const { readable, writable } = Duplex.toWeb(socket);
      return {
        readable: readable as ReadableStream<Uint8Array>,
        writable,
        close: () => void socket.destroy(),
      };
    },
  };
}

const news = () => netOf({ 'news.example': [[OPEN]] });

const html =
  (text: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text);

const refusalOf = (link: string, net: NetworkAccess, bounds = PAGE_LIMITS) =>
  unfurl(link, net, bounds).then(
    (page) => ({ page }),
    ({ code, options }) => ({ code, field: options.field }),
  );

test.for([
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.88.99.1',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001:0:1:2::3',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1%1',
  'fc00::1',
  'fd12::1',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  '168.63.129.16',
  'not an address',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.for(['93.184.216.34', '8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address), address).toBe(true);
  },
);

test.for([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://0/',
  'http://127.0.0.1./',
  'http://[::1]/',
  'http://[::ffff:7f00:1]/',
  'http://①②⑦.0.0.1/',
  'http://news.example:8080/',
  'https://news.example:80/',
  'ftp://news.example/',
  'http://u:p@news.example/',
  'http://',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://[fe80::1%25eth0]/',
  'http://168.63.129.16/',
])('refuses %s by its form', (address) => {
  expect(() => connectionTarget(address)).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test.for([
  undefined,
  7,
  '',
  'news.example',
  'http://a b/',
  'http://[2606:4700::1]/',
  'http://x/"',
  `http://x/${'y'.repeat(2100)}`,
])('%s is no link', (value) => {
  expect(() => readLink(value)).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test('describes a page by its head as plain text, over a connection to the checked address', async () => {
  let asked: Record<string, unknown> = {};
  pages['/story?a=1'] = (request, response) => {
    asked = request.headers;
    html(`<!doctype html><html><head><noscript><img src=x><title>No</title></noscript><title>Flood\n at &amp; near</title>
      <meta property="og:title" content="  "><meta name="twitter:title" content="The river\u202e &lt;rises&gt;">
      <meta name=description content="${'word '.repeat(200)}"><meta property="og:site_name" content="Caf&eacute;">
      </head><body><title>Not this</title>`)(request, response);
  };
  const net = news();
  const page = await unfurl('http://news.example/story?a=1#part', net);
  expect(page).toEqual({
    title: 'The river <rises>',
    description: expect.stringMatching(/^(word ){99}wor…$|^(word )+word…$/),
    site: 'Café',
  });
  expect([...(page.description ?? '')].length).toBeLessThanOrEqual(500);
  expect(net.resolved).toEqual(['news.example']);
  expect(net.connected).toEqual([`http ${OPEN}`]);
  expect(asked).toMatchObject({ host: 'news.example' });
  await expect.poll(() => sockets.size).toBe(0);
});

test.for<[string, string | Buffer, Record<string, string>, string]>([
  [
    'latin-1 by its header',
    Buffer.from('<title>Caf\xe9</title>', 'latin1'),
    { 'content-type': 'text/html; charset=iso-8859-1' },
    'Café',
  ],
  ['latin-1 by its meta', Buffer.from('<meta charset=latin1><title>Caf\xe9</title>', 'latin1'), {}, 'Café'],
  ['utf-16 by its mark', Buffer.from('\ufeff<title>Café</title>', 'utf16le'), {}, 'Café'],
  [
    'a charset that nobody knows',
    '<title>Café</title>',
    { 'content-type': 'text/html; charset=x-none' },
    'Café',
  ],
  ['packed', gzipSync('<title>Café</title>'), { 'content-encoding': 'gzip' }, 'Café'],
  ['without a name', '<p>Words', {}, 'news.example/told'],
  [
    'with an invisible name and description',
    '<title>\u200b\u2800 \u00ad</title><meta name=description content="&#8203;\u3164">',
    {},
    'news.example/told',
  ],
])('reads a page: %s', async ([, body, headers, title]) => {
  pages['/told'] = html(body, headers);
  expect(await unfurl('http://news.example/told', news())).toEqual({ title });
});

/** Writes without end, as fast as it is read. */
const endlessly =
  (start: string, more: string): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).write(start);
    const go = () => {
      while (!response.destroyed && response.write(more));
    };
    response.on('drain', go);
    go();
  };

test('stops reading after the head', async () => {
  pages['/endless'] = endlessly('<head><title>Endless</title></head>', 'x'.repeat(65_536));
  expect(await unfurl('http://news.example/endless', news())).toEqual({ title: 'Endless' });
  await expect.poll(() => sockets.size).toBe(0);
});

test.for<[string, RequestListener, string]>([
  ['a head without end', endlessly('<head>', `<meta content="${'x'.repeat(16_384)}">`), 'too_large'],
  ['a bomb', html(gzipSync(`<head>${' '.repeat(200_000_000)}`), { 'content-encoding': 'gzip' }), 'too_large'],
  ['a picture', html('x', { 'content-type': 'image/png' }), 'invalid'],
  ['a packing that was not asked for', html('x', { 'content-encoding': 'br' }), 'invalid'],
  ['a broken packing', html('x', { 'content-encoding': 'gzip' }), 'unavailable'],
  ['a fault', (_request, response) => response.writeHead(502).end(), 'unavailable'],
  ['nothing', (request) => request.socket.destroy(), 'invalid'],
  ['another protocol', (request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'invalid'],
  [
    'endless headers',
    (request) => request.socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}`),
    'invalid',
  ],
  [
    'chunks of little text in long lines',
    (request) => {
      const { socket } = request;
      const chunk = `1;${'x'.repeat(16_000)}\r\n \r\n`;
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n');
      for (let bytes = 0; bytes < 2_000_000; bytes += chunk.length) socket.write(chunk);
    },
    'too_large',
  ],
  [
    'to loopback',
    (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:80/' }).end(),
    'invalid',
  ],
  [
    'to a name inside',
    (_request, response) => response.writeHead(301, { location: '//inside.example/' }).end(),
    'invalid',
  ],
  [
    'to another port',
    (_request, response) => response.writeHead(307, { location: 'http://news.example:22/' }).end(),
    'invalid',
  ],
  [
    'to a file',
    (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    'invalid',
  ],
])('refuses a server that sends %s', async ([, page, code]) => {
  pages['/hostile'] = page;
  const net = netOf({ 'news.example': [[OPEN]], 'inside.example': [['10.0.0.7']] });
  expect(await refusalOf('http://news.example/hostile', net)).toMatchObject({ code });
  expect(net.connected).toEqual([`http ${OPEN}`]);
  await expect.poll(() => sockets.size).toBe(0);
});

test('gives up on slow and silent servers', async () => {
  for (const start of ['HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<he', 'HTTP/1.1 200 OK\r\n', '']) {
    pages['/drip'] = (request) => request.socket.write(start);
    expect(await refusalOf('http://news.example/drip', news(), SHORT)).toEqual({ code: 'unavailable' });
    await expect.poll(() => sockets.size).toBe(0);
  }
  const deaf: NetworkAccess = { resolve: () => new Promise(() => {}), connect: () => new Promise(() => {}) };
  expect(await refusalOf('http://news.example/', deaf, SHORT)).toEqual({ code: 'unavailable' });
});

test('fails cleanly before a connection is opened', async () => {
  expect(await refusalOf('http://127.0.0.1/', news())).toEqual({ code: 'invalid', field: 'url' });
  expect(await refusalOf('http://nowhere.example/', news())).toEqual({ code: 'unavailable' });
});

test('does not say why a server cannot be reached', async () => {
  const closed: NetworkAccess = {
    ...news(),
    connect: async () => {
      throw new Error('connect ECONNREFUSED 10.0.0.7:80');
    },
  };
  await expect(unfurl('http://news.example/', closed)).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'page_unreachable',
    message: 'page_unreachable',
  });
});

test('refuses a name with one private address, and checks each redirect', async () => {
  const mixed = netOf({ 'news.example': [[OPEN, '127.0.0.1']] });
  expect(await refusalOf('http://news.example/', mixed)).toEqual({ code: 'invalid', field: 'url' });
  expect(mixed.connected).toEqual([]);

  pages['/again'] = (_request, response) => response.writeHead(302, { location: '/again' }).end();
  const turning = netOf({ 'news.example': [[OPEN], ['::1']] });
  expect(await refusalOf('http://news.example/again', turning)).toEqual({ code: 'invalid', field: 'url' });
  expect(turning).toMatchObject({ resolved: ['news.example', 'news.example'], connected: [`http ${OPEN}`] });

  const circle = netOf({ 'news.example': Array.from({ length: 9 }, () => [OPEN]) });
  expect(await refusalOf('http://news.example/again', circle)).toEqual({ code: 'invalid', field: 'url' });
  expect(circle.connected).toHaveLength(6);
});

test('follows redirects to HTTPS and to other paths', async () => {
  pages['/old/'] = (_request, response) =>
    response.writeHead(308, { location: 'https://news.example/old/../new' }).end();
  pages['/new'] = html('<title>New</title>');
  const net = netOf({ 'news.example': [[OPEN], ['2606:4700::1']] });
  expect(await unfurl('http://news.example/old/', net)).toEqual({ title: 'New' });
  expect(net.connected).toEqual([`http ${OPEN}`, 'https 2606:4700::1']);
});
