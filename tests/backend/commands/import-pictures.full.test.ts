import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { post, type WpPost, wxr } from '../../support/wxr.ts';

let backend: TestBackend;
let files: string;
/** The WordPress that the owner names, and another server in the same network. */
let wordpress: TestServer;
let internal: TestServer;
beforeAll(async () => {
  backend = await startBackend();
  files = await mkdtemp(join(tmpdir(), 'stoppress-pictures-'));
  const jpeg = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#246' } })
    .jpeg()
    .toBuffer();
  internal = await startServer((_, response) => response.end(jpeg));
  wordpress = await startServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const answers: Record<string, () => void> = {
      '/gone.jpg': () => response.writeHead(404).end(jpeg),
      '/page.jpg': () => response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<h1>Sign in</h1>'),
      '/huge.jpg': () => response.end(Buffer.alloc(LIMITS.photo_bytes + 1)),
      '/moved.jpg': () => response.writeHead(301, { location: '/quay.jpg' }).end(),
      '/inward.jpg': () => response.writeHead(302, { location: `${internal.url}/secret.jpg` }).end(),
      '/cut.jpg': () => response.destroy(),
    };
    const answer = answers[pathname];
    if (answer) answer();
    else response.end(jpeg);
  });
});
afterAll(async () => {
  await Promise.all([wordpress?.stop(), internal?.stop(), backend?.stop()]);
  await rm(files, { recursive: true, force: true });
});
beforeEach(() => {
  wordpress.requests.length = 0;
  internal.requests.length = 0;
});

type TestServer = { url: string; requests: string[]; stop(): Promise<void> };

async function startServer(answer: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Imports posts of WordPress, as the owner of the test's WordPress does. */
async function run(slug: string, ...posts: WpPost[]): Promise<string> {
  const file = join(files, `${slug}.xml`);
  await writeFile(file, wxr(...posts.map(post)));
  const env = { STOPPRESS_DATA: backend.data, STOPPRESS_PRIVATE_WORDPRESS: wordpress.url };
  const args = [resolve('src/lib/cli/import.ts'), file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout;
}

const liveblog = (name: string, contents: string[]): WpPost => ({
  id: 10,
  name,
  title: `About ${name}`,
  meta: { liveblog: 'archive' },
  entries: contents.map((content, n) => ({ id: n + 1, content })),
});

/** The blocks of each update, with the texts of photos as readers get them. */
async function updatesOf(slug: string) {
  const reader = anonClient(backend);
  const { data: coverage } = await reader.from('coverages').select('id').eq('slug', slug).single();
  const { data: updates } = await reader
    .from('updates')
    .select('body')
    .eq('coverage_id', coverage?.id ?? '')
    .order('number');
  const { data: photos } = await reader
    .from('photos')
    .select('id, alt, caption, credit, width')
    .eq('coverage_id', coverage?.id ?? '');
  return { bodies: (updates ?? []).map(({ body }) => body as { type: string }[]), photos: photos ?? [] };
}

test('brings pictures over as photos in their places, with their texts', async () => {
  const attachment: WpPost = {
    id: 7,
    type: 'attachment',
    status: 'inherit',
    excerpt: 'From the media library',
    url: `${wordpress.url}/mill.jpg`,
    meta: { _wp_attachment_image_alt: 'The mill', _media_credit: 'Ada Marsh' },
  };
  const contents = [
    `Before <figure><img src="${wordpress.url}/quay.jpg" alt="The quay"><figcaption>Under water</figcaption></figure> after`,
    '[gallery ids="7"]',
  ];
  // The media library stands after the post.
  const out = await run('in-place', liveblog('in-place', contents), attachment);
  expect(out).toBe('in-place (ended): 2 added, 0 unchanged, 0 refused.\n  2 photos imported.\n');

  const { bodies, photos } = await updatesOf('in-place');
  expect(bodies.map((body) => body.map(({ type }) => type))).toEqual([
    ['paragraph', 'photo', 'paragraph'],
    ['photo'],
  ]);
  expect(photos.toSorted((a, b) => String(a.alt).localeCompare(String(b.alt)))).toMatchObject([
    { alt: 'The mill', caption: 'From the media library', credit: 'Ada Marsh', width: 900 },
    { alt: 'The quay', caption: 'Under water', credit: null, width: 900 },
  ]);
  for (const { id } of photos) {
    const stored = await serviceClient(backend).storage.from('photos').download(`renditions/${id}/480`);
    expect((await sharp(await stored.data?.arrayBuffer()).metadata()).format).toBe('webp');
  }
});

test('fetches a picture once, and nothing in a second run', async () => {
  const picture = `<img src="${wordpress.url}/quay.jpg" alt="The quay">`;
  const all = liveblog('twice', [`One ${picture}`, `Two ${picture}`, `${picture} three ${picture}`]);
  expect(await run('twice', all)).toContain('1 photos imported.');
  expect(wordpress.requests).toEqual(['/quay.jpg']);
  const before = await updatesOf('twice');
  expect(before.photos).toHaveLength(1);
  expect(before.bodies.flat().filter(({ type }) => type === 'photo')).toHaveLength(3);

  expect(await run('twice', all)).toBe('twice (ended): 0 added, 3 unchanged, 0 refused.\n');
  expect(wordpress.requests).toEqual(['/quay.jpg']);
  expect(await updatesOf('twice')).toEqual(before);

  // A later entry uses the photo that is there.
  const more = liveblog('twice', [
    `One ${picture}`,
    `Two ${picture}`,
    `${picture} three ${picture}`,
    picture,
  ]);
  expect(await run('twice', more)).toContain('1 added, 3 unchanged');
  expect(wordpress.requests).toEqual(['/quay.jpg']);
  expect((await updatesOf('twice')).photos).toEqual(before.photos);
});

test('leaves pictures that cannot be had as links, and lists them', async () => {
  const problems: [string, string][] = [
    [`${wordpress.url}/gone.jpg`, 'it is not there'],
    [`${wordpress.url}/page.jpg`, 'it is no JPEG, PNG, WebP or AVIF'],
    [`${wordpress.url}/huge.jpg`, 'it is too large'],
    [`${wordpress.url}/inward.jpg`, 'its address is not public'],
    [`${internal.url}/secret.jpg`, 'its address is not public'],
    ['http://127.0.0.1/secret.jpg', 'its address is not public'],
    ['http://localhost/secret.jpg', 'its address is not public'],
    [`${wordpress.url}/cut.jpg`, 'its host does not answer'],
  ];
  const contents = problems.map(([url]) => `See <img src="${url}" alt="A picture"> here`);
  const out = await run(
    'left',
    liveblog('left', [...contents, `<img src="${wordpress.url}/moved.jpg" alt="Q">`]),
  );
  expect(out).toContain('left (ended): 9 added, 0 unchanged, 0 refused.\n  1 photos imported.\n');
  expect(out).toContain('  8 pictures stayed links:\n');
  for (const [url, problem] of problems) expect(out).toContain(`    ${url}: ${problem}\n`);
  expect(internal.requests).toEqual([]);

  const { bodies, photos } = await updatesOf('left');
  expect(bodies.slice(0, -1)).toEqual(
    problems.map(([url]) => [
      {
        type: 'paragraph',
        runs: [{ text: 'See ' }, { text: 'A picture', link: url }, { text: ' here' }],
      },
    ]),
  );
  expect(bodies.at(-1)).toMatchObject([{ type: 'photo' }]);
  expect(photos).toHaveLength(1);
});

test('takes the size in the text when the original is too large', async () => {
  const attachment: WpPost = {
    id: 7,
    type: 'attachment',
    status: 'inherit',
    url: `${wordpress.url}/huge.jpg`,
  };
  const picture = `<img class="wp-image-7" src="${wordpress.url}/huge-900x600.jpg" alt="The quay">`;
  expect(await run('smaller', liveblog('smaller', [picture]), attachment)).toContain('1 photos imported.');
  expect(wordpress.requests).toEqual(['/huge.jpg', '/huge-900x600.jpg']);
});

test('stops asking a host that does not answer', async () => {
  const contents = Array.from(
    { length: 8 },
    (_, n) => `<img src="${wordpress.url}/cut.jpg?${n}" alt="${n}">`,
  );
  const out = await run('silent', liveblog('silent', contents));
  expect(out).toContain('8 pictures stayed links');
  expect(wordpress.requests.length).toBeLessThan(6);
});

test('shows the featured image of an entry of Rolling Coverage first', async () => {
  const entry = {
    id: 5,
    type: 'rolling_cov_entry',
    content: 'The water falls.',
    meta: { _thumbnail_id: '7' },
    categories: '<category domain="rolling_coverage" nicename="river"><![CDATA[The river]]></category>',
  };
  const url = `${wordpress.url}/river.jpg`;
  const image: WpPost = {
    id: 7,
    type: 'attachment',
    status: 'inherit',
    url,
    meta: { _wp_attachment_image_alt: 'The river' },
  };
  expect(await run('river', entry, image)).toContain('1 photos imported.');
  const { bodies } = await updatesOf('river');
  expect(bodies[0]?.map(({ type }) => type)).toEqual(['photo', 'paragraph']);
});
