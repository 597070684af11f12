import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect as connectTo } from 'node:net';
import { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NetworkAccess } from '../../../supabase/functions/_shared/network.ts';
import { PAGE_LIMITS } from '../../../supabase/functions/_shared/open-address.ts';
import { readTable } from '../../../supabase/functions/unfurl-link/table.ts';

const LINK = 'https://port.example/levels.csv';

let answer: RequestListener;
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close().closeAllConnections());

/** Every name has a public address, and each connection leads to the server of this test. */
const net = (addresses = ['93.184.216.34']): NetworkAccess => ({
  resolve: async () => addresses,
  async connect() {
    const socket = connectTo((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    const { readable, writable } = Duplex.toWeb(socket);
    return { readable: readable as ReadableStream<Uint8Array>, writable, close: () => void socket.destroy() };
  },
});

const csv =
  (body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/csv', ...headers }).end(body);

const read = (body: string | Buffer, headers?: Record<string, string>) => {
  answer = csv(body, headers);
  return readTable(LINK, net());
};
const refusalOf = (link = LINK, access = net(), limits = PAGE_LIMITS) =>
  readTable(link, access, limits).then(
    (cells) => ({ cells }),
    ({ code, reason, options }) => [code, reason, options.details ?? options.field],
  );
const NOT_CSV = ['invalid', 'not_csv', 'url'];
const TOO_LARGE = ['invalid', 'table_too_large', { rows: 200, columns: 12 }];

describe('a CSV file', () => {
  test.for<[string, string, string[][]]>([
    [
      'with line feeds',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'with carriage returns, without one at its end',
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'of old computers',
      'a,b\r1,2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'with semicolons',
      'a;b\n1,5;2',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'with tabs',
      'a\tb\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'with quotes',
      '"a,""b""",c\n"1\n2","3;4"\n',
      [
        ['a,"b"', 'c'],
        ['1 2', '3;4'],
      ],
    ],
    [
      'with empty fields',
      'a,,c\n,"",\n1\n',
      [
        ['a', '', 'c'],
        ['', '', ''],
        ['1', '', ''],
      ],
    ],
    [
      'with empty lines',
      'a,b\n\n1,2\n\n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'that ends with a separator',
      'a,b\n1,',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    [
      'with longer rows than names',
      'a\n1,2',
      [
        ['a', ''],
        ['1', '2'],
      ],
    ],
    ['of one column', 'a\n1', [['a'], ['1']]],
    [
      'with a byte order mark',
      '\ufeffa,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
  ])('%s is read by row', async ([, text, cells]) => {
    expect(await read(text)).toEqual(cells);
  });

  test('is read in its encoding, and compressed', async () => {
    const headers = { 'content-type': 'text/csv; charset=iso-8859-1' };
    expect(await read(Buffer.from('País,Año\nPerú,1', 'latin1'), headers)).toEqual([
      ['País', 'Año'],
      ['Perú', '1'],
    ]);
    expect(await read(gzipSync('a,b\n1,2'), { 'content-encoding': 'gzip' })).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  test('leaves formulas and markup as text, and no controls or marks of direction', async () => {
    const text = '=HYPERLINK("https://evil.example"),x\n';
    const quoted = `"=HYPERLINK(""https://evil.example"")",<script>\n+1\u202e2\u2066,a\u0000b\n*c*,\u200b\n`;
    answer = csv(text);
    expect(await refusalOf()).toEqual(NOT_CSV);
    expect(await read(quoted)).toEqual([
      ['=HYPERLINK("https://evil.example")', '<script>'],
      ['+12', 'a b'],
      ['*c*', ''],
    ]);
  });

  test('may have 200 rows below its names, and 12 columns', async () => {
    const rows = Array.from({ length: 201 }, () => Array(12).fill('1').join(','));
    expect(await read(rows.join('\n'))).toHaveLength(201);
    for (const more of [[...rows, '1'], rows.map((row) => `${row},1`), ['a', Array(13).fill('').join(',')]]) {
      answer = csv(more.join('\n'));
      expect(await refusalOf()).toEqual(TOO_LARGE);
    }
  });

  test('of 10,000 cells is too large', async () => {
    answer = csv('1,2,3,4,5,6,7,8,9,0\n'.repeat(1_000));
    expect(await refusalOf()).toEqual(TOO_LARGE);
  });
});

describe('an answer', () => {
  test.for<[string, string]>([
    ['nothing', ''],
    ['names without rows', 'a,b\n'],
    ['no words', ',\n,'],
    ['an unclosed quote', 'a,b\n"1,2'],
    ['text after a quote', 'a,b\n"1"2,3'],
    ['a quote within a field', 'a,b\n1"2,3'],
    ['half a megabyte of quotes', '"'.repeat(500_001)],
  ])('is no CSV file: %s', async ([, text]) => {
    answer = csv(text);
    expect(await refusalOf()).toEqual(NOT_CSV);
  });

  test.for(['text/html', 'application/json', 'image/png', 'text/csvx', ''])(
    'is no CSV file: %s',
    async (type) => {
      answer = csv('a,b\n1,2', { 'content-type': type });
      expect(await refusalOf()).toEqual(NOT_CSV);
    },
  );

  test('of a gigabyte is cut off early', async () => {
    let sent = 0;
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '1073741824' });
      const chunk = Buffer.from('a,b\n'.repeat(16_384));
      const send = () => {
        while (!response.destroyed && sent < 1_073_741_824) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', send);
        }
      };
      send();
    };
    expect(await refusalOf()).toEqual(['too_large', 'page_too_large', 'url']);
    expect(sent).toBeLessThan(20_000_000);
  });

  test('that expands to a gigabyte is cut off early', async () => {
    answer = csv(gzipSync(Buffer.alloc(50_000_000, 'a,b\n')), { 'content-encoding': 'gzip' });
    expect(await refusalOf()).toEqual(['too_large', 'page_too_large', 'url']);
  });

  test('that never ends is given up', async () => {
    answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/csv' }).write('a,b\n1,2\n');
    expect(await refusalOf(LINK, net(), { ...PAGE_LIMITS, ms: 50 })).toEqual([
      'unavailable',
      'page_unreachable',
      undefined,
    ]);
  });

  test.for([
    [404, ['invalid', 'page_not_found', 'url']],
    [403, ['invalid', 'page_not_found', 'url']],
    [429, ['unavailable', 'page_unreachable', undefined]],
    [503, ['unavailable', 'page_unreachable', undefined]],
  ] as const)('with the status %i has its own error', async ([status, expected]) => {
    answer = (_request, response) => response.writeHead(status, { 'content-type': 'text/csv' }).end('a\n1');
    expect(await refusalOf()).toEqual(expected);
  });
});

describe('a private address', () => {
  test.for([
    'https://127.0.0.1/levels.csv',
    'https://10.1.2.3/levels.csv',
    'https://169.254.169.254/levels.csv',
    'https://[::1]/levels.csv',
    'https://port.example:8443/levels.csv',
  ])('is not read: %s', async (address) => {
    answer = csv('a\n1');
    expect(await refusalOf(address)).toEqual(['invalid', 'address_not_public', 'url']);
    answer = (_request, response) => response.writeHead(302, { location: address }).end();
    expect(await refusalOf()).toEqual(['invalid', 'address_not_public', 'url']);
  });

  test('is not read by a name', async () => {
    answer = csv('a\n1');
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:10.0.0.1']) {
      expect(await refusalOf(LINK, net([address]))).toEqual(['invalid', 'address_not_public', 'url']);
    }
  });
});

test.for(['http://port.example/levels.csv', 'ftp://port.example/levels.csv', 'file:///etc/passwd'])(
  'reads and follows https only, not %s',
  async (address) => {
    answer = csv('a\n1');
    expect(await refusalOf(address)).toEqual(['invalid', 'invalid_address', 'url']);
    answer = (_request, response) => response.writeHead(302, { location: address }).end();
    expect(await refusalOf()).toEqual(['invalid', 'invalid_address', 'url']);
  },
);
