import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findDeno } from '../../../packages/embedded-supabase/src/functions/process.ts';

const FOLDER = resolve('supabase/functions/unfurl-link');

/** Reads posts with Deno's network. Names have a public address; connections to it lead to the server of this test. */
const CALLER = `
const [folder, port, ...links] = Deno.args;
const { readPost } = await import(folder + '/posts.ts');
const net = {
  resolve: async () => ['93.184.216.34'],
  async connect(_address, _target, signal) {
    const conn = await Deno.connect({ hostname: '127.0.0.1', port: Number(port) });
    const close = () => { try { conn.close(); } catch {} };
    signal.addEventListener('abort', close);
    return { readable: conn.readable, writable: conn.writable, close };
  },
};
const read = (link) => readPost(link, net).catch(({ code, reason }) => ({ code, reason }));
console.log(JSON.stringify(await Promise.all(links.map(read))));
Deno.exit(0);
`;

/** Answers of the public interfaces, by host and path. */
const ANSWERS: Record<string, [number, unknown]> = {
  'public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle': [200, { did: 'did:plc:ostley' }],
  'public.api.bsky.app/xrpc/app.bsky.feed.getPostThread': [
    200,
    {
      thread: {
        $type: 'app.bsky.feed.defs#threadViewPost',
        post: {
          author: { did: 'did:plc:ostley', handle: 'ostley.example', displayName: 'Ostley Council' },
          record: { text: 'The bridge is closed.', createdAt: '2026-11-28T13:58:10.123Z' },
          indexedAt: '2026-11-28T13:58:11.000Z',
        },
      },
    },
  ],
  'social.example/api/v1/statuses/1': [
    200,
    {
      id: '1',
      created_at: '2026-11-28T13:58:10.000Z',
      content: '<p>Take <script>no</script>Mill Lane.</p>',
      account: { username: 'ana', acct: 'ana', display_name: 'Ana' },
    },
  ],
  'social.example/api/v1/statuses/2': [404, { error: 'Record not found' }],
  'social.example/api/v1/statuses/3': [200, { id: '3', content: 'x'.repeat(2_000_000) }],
};

const deno = findDeno();

test.runIf(deno)('reads posts in Deno as Bluesky and Mastodon answer', async () => {
  const server = createServer((request, response) => {
    const [code, value] = ANSWERS[`${request.headers.host}${request.url?.replace(/\?.*/, '')}`] ?? [
      404,
      null,
    ];
    response.writeHead(code, { 'content-type': request.headers.accept }).end(JSON.stringify(value));
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const { stdout } = await promisify(execFile)(
    deno ?? '',
    [
      'run',
      '--no-prompt',
      '--no-lock',
      '--no-remote',
      '--cached-only',
      '--node-modules-dir=manual',
      '--ext=ts',
      `--config=${join(FOLDER, 'deno.json')}`,
      '--allow-net=127.0.0.1',
      '--allow-read',
      '--allow-env',
      `data:application/typescript,${encodeURIComponent(CALLER)}`,
      `file://${FOLDER}`,
      `${(server.address() as AddressInfo).port}`,
      'https://bsky.app/profile/ostley.example/post/3kabc',
      ...[1, 2, 3].map((id) => `https://social.example/@ana/${id}`),
    ],
    { env: { DENO_DIR: join(tmpdir(), 'stoppress-deno'), NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' } },
  );
  expect(JSON.parse(stdout)).toEqual([
    {
      url: 'https://bsky.app/profile/did:plc:ostley/post/3kabc',
      author: 'Ostley Council',
      handle: '@ostley.example',
      network: 'Bluesky',
      text: 'The bridge is closed.',
      posted_at: '2026-11-28T13:58:10Z',
    },
    {
      url: 'https://social.example/@ana/1',
      author: 'Ana',
      handle: '@ana@social.example',
      network: 'Mastodon',
      text: 'Take Mill Lane.',
      posted_at: '2026-11-28T13:58:10Z',
    },
    { code: 'gone', reason: 'post_gone' },
    { code: 'too_large', reason: 'page_too_large' },
  ]);
});
