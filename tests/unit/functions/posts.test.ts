import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect as connectTo } from 'node:net';
import { Duplex } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NetworkAccess } from '../../../supabase/functions/_shared/network.ts';
import { PAGE_LIMITS } from '../../../supabase/functions/_shared/open-address.ts';
import { readPost } from '../../../supabase/functions/unfurl-link/posts.ts';

const DID = 'did:plc:ostley';
const BLUESKY = `https://bsky.app/profile/ostley.example/post/3kabc`;
const TOOT = 'https://social.example/@ana/1234567';

/** Answers by host and path. */
let answers: Record<string, RequestListener>;
let requests: string[];
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const asked = `${request.headers.host}${decodeURIComponent(request.url ?? '')}`;
    requests.push(asked);
    const answer = answers[asked] ?? answers[asked.replace(/\?.*/, '')];
    if (answer) answer(request, response);
    else response.writeHead(404).end('<h1>Not found</h1>');
  });
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

const json =
  (value: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const refusalOf = (link: string, access = net(), limits = PAGE_LIMITS) =>
  readPost(link, access, limits).then(
    (post) => ({ post }),
    ({ code, reason, options }) => [code, reason, options.field],
  );

const HANDLE_API = 'public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle';
const THREAD_API = 'public.api.bsky.app/xrpc/app.bsky.feed.getPostThread';
const STATUS_API = 'social.example/api/v1/statuses/1234567';
const NOT_A_POST = ['invalid', 'not_a_post', 'url'];
const GONE = ['gone', 'post_gone', 'url'];

const thread = (more: object = {}, author: object = {}) => ({
  thread: {
    $type: 'app.bsky.feed.defs#threadViewPost',
    post: {
      uri: `at://${DID}/app.bsky.feed.post/3kabc`,
      author: { did: DID, handle: 'ostley.example', displayName: 'Ostley Council', ...author },
      record: {
        $type: 'app.bsky.feed.post',
        text: 'The bridge is closed.\nTake Mill Lane.',
        createdAt: '2026-11-28T13:58:10.123Z',
        ...more,
      },
      indexedAt: '2026-11-28T13:58:11.000Z',
    },
  },
});
const status = (more: object = {}) => ({
  id: '1234567',
  created_at: '2026-11-28T13:58:10.000Z',
  spoiler_text: '',
  visibility: 'public',
  url: TOOT,
  content: '<p>The bridge is <b>closed</b>.<br />Take Mill&nbsp;Lane.</p><p>More &amp; more.</p>',
  account: { username: 'ana', acct: 'ana', display_name: 'Ana' },
  ...more,
});

beforeEach(() => {
  requests = [];
  answers = {
    [HANDLE_API]: json({ did: DID }),
    [THREAD_API]: json(thread()),
    [STATUS_API]: json(status()),
  };
});

describe('Bluesky', () => {
  test('reads a post by the handle of its author, and names the account by its permanent id', async () => {
    expect(await readPost(`${BLUESKY}?ref_src=embed`, net())).toEqual({
      url: `https://bsky.app/profile/${DID}/post/3kabc`,
      author: 'Ostley Council',
      handle: '@ostley.example',
      network: 'Bluesky',
      text: 'The bridge is closed.\nTake Mill Lane.',
      posted_at: '2026-11-28T13:58:10Z',
    });
    expect(requests).toEqual([
      `${HANDLE_API}?handle=ostley.example`,
      `${THREAD_API}?uri=at://${DID}/app.bsky.feed.post/3kabc&depth=0&parentHeight=0`,
    ]);
  });

  test('needs one request for an address with the id of the account', async () => {
    answers[THREAD_API] = json(thread({ createdAt: '2030-01-01T00:00:00Z' }, { displayName: '' }));
    expect(await readPost(`https://bsky.app/profile/${DID}/post/3kabc`, net())).toMatchObject({
      author: 'ostley.example',
      posted_at: '2026-11-28T13:58:11Z',
    });
    expect(requests).toHaveLength(1);
  });

  test.for<[string, RequestListener]>([
    ['an error', json({ error: 'NotFound', message: 'Post not found' }, 400)],
    ['a thread without it', json({ thread: { $type: 'app.bsky.feed.defs#notFoundPost', notFound: true } })],
  ])('says by %s that a post is gone', async ([, answer]) => {
    answers[THREAD_API] = answer;
    expect(await refusalOf(BLUESKY)).toEqual(GONE);
  });

  test('does not call a post gone whose author has another handle now', async () => {
    answers[HANDLE_API] = json({ error: 'InvalidRequest', message: 'Unable to resolve handle' }, 400);
    expect(await refusalOf(BLUESKY)).toEqual(NOT_A_POST);
    answers[HANDLE_API] = json({ did: 'https://evil.example/' });
    expect(await refusalOf(BLUESKY)).toEqual(NOT_A_POST);
  });
});

describe('Mastodon', () => {
  test('reads a post as plain lines', async () => {
    expect(await readPost(TOOT, net())).toEqual({
      url: TOOT,
      author: 'Ana',
      handle: '@ana@social.example',
      network: 'Mastodon',
      text: 'The bridge is closed.\nTake Mill Lane.\n\nMore & more.',
      posted_at: '2026-11-28T13:58:10Z',
    });
  });

  test.for([
    'https://social.example/users/ana/statuses/1234567',
    'https://social.example/web/@ana/1234567',
    'https://social.example/@ana/1234567/?x#y',
  ])('reads %s', async (link) => {
    expect(await readPost(link, net())).toMatchObject({ url: TOOT });
  });

  test('keeps a content warning, and the server of an account of another one', async () => {
    answers[STATUS_API] = json(
      status({
        spoiler_text: 'Water',
        account: { acct: 'bo@far.example', username: 'bo', display_name: '' },
      }),
    );
    expect(await readPost('https://social.example/@bo@far.example/1234567', net())).toMatchObject({
      url: 'https://social.example/@bo@far.example/1234567',
      author: 'bo',
      handle: '@bo@far.example',
      text: 'Water\n\nThe bridge is closed.\nTake Mill Lane.\n\nMore & more.',
    });
  });

  test.for([404, 410])('says by %s that a post is gone, unless the host is another program', async (code) => {
    answers[STATUS_API] = json({ error: 'Record not found' }, code);
    expect(await refusalOf(TOOT)).toEqual(GONE);
    answers[STATUS_API] = (_request, response) => response.writeHead(code).end('<h1>Not found</h1>');
    expect(await refusalOf(TOOT)).toEqual(NOT_A_POST);
  });

  test('returns no text for a post of pictures', async () => {
    answers[STATUS_API] = json(status({ content: '' }));
    expect(await readPost(TOOT, net())).toMatchObject({ author: 'Ana', text: '' });
  });
});

describe('hostile answers', () => {
  test('leave no markup, controls or marks of direction', async () => {
    answers[STATUS_API] = json(
      status({
        content:
          '<p>a<script>alert(1)</script><style>b</style>\u202ec\u2066d\u0000e<img src=x onerror=alert(1)>&lt;b&gt;</p>\n\n\n<p> \u200b </p>\n<p>f</p>',
        account: { acct: 'a"b\u202e c', username: 'x', display_name: '<i>A</i>\u202e\n B' },
      }),
    );
    expect(await readPost(TOOT, net())).toMatchObject({
      author: '<i>A</i> B',
      handle: '@abc@social.example',
      text: 'acd e<b>\n\nf',
    });
  });

  test.for<[string, unknown]>([
    ['no object', 'post'],
    ['null', null],
    ['a list', []],
    ['another post', status({ id: '7' })],
    ['a number as the content', status({ content: 7 })],
    ['no account', status({ account: undefined })],
    ['an account without a name', status({ account: { acct: '\u202e' } })],
    ['a list as the account', status({ account: ['ana'] })],
  ])('are no post: %s', async ([, value]) => {
    answers[STATUS_API] = json(value);
    expect(await refusalOf(TOOT)).toEqual(NOT_A_POST);
  });

  test('have no time if theirs is none', async () => {
    answers[STATUS_API] = json(status({ created_at: '2026-99-99T00:00:00Z' }));
    expect(await readPost(TOOT, net())).not.toHaveProperty('posted_at');
  });

  test('are refused when they are too long', async () => {
    answers[STATUS_API] = json(status({ content: 'word '.repeat(3_000) }));
    expect(await refusalOf(TOOT)).toEqual(['too_large', 'post_too_long', 'url']);
    let sent = 0;
    answers[STATUS_API] = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1073741824' });
      const chunk = Buffer.alloc(65_536, ' ');
      const send = () => {
        while (!response.destroyed && sent < 1_073_741_824) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', send);
        }
      };
      send();
    };
    expect(await refusalOf(TOOT)).toEqual(['too_large', 'page_too_large', 'url']);
    expect(sent).toBeLessThan(20_000_000);
  });

  test('are refused when they never end, deeply nest or are no JSON', async () => {
    answers[STATUS_API] = (_request, response) => void response.writeHead(200).write('{"id":');
    expect(await refusalOf(TOOT, net(), { ...PAGE_LIMITS, ms: 50 })).toEqual([
      'unavailable',
      'page_unreachable',
      undefined,
    ]);
    for (const text of ['[', '[['.repeat(400_000), '<p>', '', '{"id":"1234567"']) {
      answers[STATUS_API] = (_request, response) => void response.writeHead(200).end(text);
      expect(await refusalOf(TOOT)).toEqual(NOT_A_POST);
    }
    answers[STATUS_API] = json({}, 503);
    expect(await refusalOf(TOOT)).toMatchObject(['unavailable', 'page_unreachable', undefined]);
  });

  test('cannot lead to a private address', async () => {
    expect(await refusalOf(TOOT, net(['10.0.0.1']))).toEqual(['invalid', 'address_not_public', 'url']);
    answers[STATUS_API] = (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    expect(await refusalOf(TOOT)).toEqual(['invalid', 'address_not_public', 'url']);
  });
});

test.for([
  'https://x.com/ostley/status/1541815603606036480',
  'https://social.example/@ana',
  'https://social.example/@ana/article-7',
  'http://social.example/@ana/1234567',
  'https://bsky.app/profile/ostley.example',
  'https://evil.example/profile/ostley.example/post/3kabc',
  'https://bsky.app/profile/ostley.example&uri=x/post/3kabc',
])('%s is no post, and nothing is requested', async (link) => {
  expect(await refusalOf(link)).toEqual(NOT_A_POST);
  expect(requests).toEqual([]);
});

test.for(['https://10.0.0.1/@ana/1', 'https://[::1]/@ana/1', 'https://social.example:8443/@ana/1'])(
  '%s is not public',
  async (link) => {
    expect(await refusalOf(link)).toEqual(['invalid', 'address_not_public', 'url']);
    expect(requests).toEqual([]);
  },
);
