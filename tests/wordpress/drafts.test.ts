import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SupabaseClient } from '@supabase/supabase-js';
import { expect } from 'vitest';
import { type Block, plainRows } from '../../src/lib/domain/body/blocks.ts';
import { paragraph } from '../support/newsroom.ts';
import { ALT, addPhoto } from '../support/photos.ts';
import { test as base } from '../support/test.ts';
import { phpText, startWordPress } from '../support/wordpress/wordpress.ts';

type Result = { status: number; data: Record<string, unknown> };

/** Calls the edge function. Returns its result or its error. */
async function ask(client: SupabaseClient, body: object): Promise<Result> {
  const { data, error, response } = await client.functions.invoke('wordpress', { body });
  return { status: response?.status ?? 0, data: error ? await error.context.json() : data };
}

const test = base
  .extend('ownSite', true)
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  .extend('wordpress', { scope: 'file' }, async ({}, { onCleanup }) => {
    const wordpress = await startWordPress('6.4');
    onCleanup(wordpress.stop);
    return wordpress;
  })
  .extend(
    'environment',
    { scope: 'file' },
    ({ wordpress }): Record<string, string> => ({
      STOPPRESS_PRIVATE_WORDPRESS: wordpress.url,
    }),
  )
  .extend('connect', { scope: 'file' }, ({ wordpress, people }) => {
    return async (role = 'editor', more: object = {}) => {
      const user = await wordpress.applicationPassword(role);
      return ask(people.owner.client, { act: 'save', url: wordpress.url, ...user, ...more });
    };
  });

type Post = {
  status: string;
  title: string;
  content: string;
  author: string;
  photo: { alt: string; caption: string; type: string } | null;
};

const idIn = (link: unknown) => Number(/post=(\d+)/.exec(String(link))?.[1]);

/** Returns a post as WordPress stores it. */
const readPost = (link: unknown) => `
$post = get_post( ${idIn(link)} );
$photo = get_post( get_post_thumbnail_id( $post ) );
return array(
  'status' => $post->post_status,
  'title' => $post->post_title,
  'content' => $post->post_content,
  'author' => get_the_author_meta( 'user_login', $post->post_author ),
  'photo' => $photo ? array(
    'alt' => get_post_meta( $photo->ID, '_wp_attachment_image_alt', true ),
    'caption' => $photo->post_excerpt,
    'type' => $photo->post_mime_type,
  ) : null,
);`;

/** Returns the named blocks of a post. */
const blocksIn = (link: unknown) => `
$blocks = parse_blocks( get_post( ${idIn(link)} )->post_content );
return array_values( array_map(
  function ( $block ) { return array( 'name' => substr( $block['blockName'], 5 ), 'html' => render_block( $block ) ? serialize_block( $block ) : '' ); },
  array_filter( $blocks, function ( $block ) { return null !== $block['blockName']; } )
) );`;

/** Blocks that WordPress has no block for, or another one. */
const OTHER_BLOCKS: Block[] = [
  {
    type: 'table',
    rows: plainRows([
      ['Gauge', 'Level'],
      ['Quay', '4.2 m'],
    ]),
    caption: 'At noon',
  },
  { type: 'map', name: 'Harrow Quay', latitude: 53.3, longitude: -6.2 },
  {
    type: 'post',
    url: 'https://social.example/@ann/1',
    author: 'Ann',
    handle: '@ann',
    network: 'Mastodon',
    text: 'Water everywhere!',
    quoted_at: '2026-11-28T14:02:00Z',
  },
  { type: 'media', url: 'https://vimeo.com/76979871', title: 'The flood from above' },
];

const COUNT_MEDIA = `return count( get_posts( array( 'post_type' => 'attachment', 'post_status' => 'any', 'numberposts' => -1 ) ) );`;
const COUNT_POSTS = `return count( get_posts( array( 'post_status' => 'any', 'numberposts' => -1 ) ) );`;

test('makes one draft with headline, text, photos and link, also when it is requested again', async ({
  site,
  newsroom,
  wordpress,
  connect,
}) => {
  const { people, coverage } = newsroom;
  expect(await connect()).toMatchObject({ status: 200, data: { url: wordpress.url } });
  expect(await ask(people.owner.client, { act: 'test' })).toMatchObject({
    status: 200,
    data: { hasUploads: true },
  });
  const { block } = await addPhoto(site, newsroom);
  const { block: secondPhoto } = await addPhoto(site, newsroom, 'A boat "at" <the> quay [gallery]');
  const update = await newsroom.publish({
    headline: 'Water <b>& mud</b> reach "the quay"',
    body: [
      {
        type: 'paragraph',
        runs: [{ text: 'See ' }, { text: 'the <i>map</i>', link: 'https://map.example/?a=1&b=2' }],
      },
      block,
      { type: 'list', items: [[{ text: '[gallery]' }]] },
      { type: 'quote', text: 'It came at noon.', attribution: 'A witness' },
      secondPhoto,
      ...OTHER_BLOCKS,
    ],
  });
  const before = await wordpress.php<number>(COUNT_MEDIA);
  const [first, second] = await Promise.all([
    ask(people.editor.client, { act: 'draft', update: update.id }),
    ask(people.owner.client, { act: 'draft', update: update.id }),
  ]);
  // The one that came second was refused, or got the finished draft.
  const made = [first, second].find(({ data }) => data.isNew);
  expect(made).toMatchObject({ status: 200, data: { isNew: true, missingPhotos: 0 } });
  const link = made?.data.link;
  expect(await ask(people.editor.client, { act: 'draft', update: update.id })).toEqual({
    status: 200,
    data: { link, isNew: false, missingPhotos: 0 },
  });
  const post = await wordpress.php<Post>(readPost(link));
  expect(post).toMatchObject({ status: 'draft', photo: { alt: ALT, type: 'image/webp' } });
  expect(post.photo?.caption).toContain('Harrow Bridge at noon');
  expect(post.title).toBe('Water &lt;b&gt;&amp; mud&lt;/b&gt; reach &quot;the quay&quot;');
  expect(post.content).toContain('<a href="https://map.example/?a=1&amp;b=2">the &lt;i&gt;map&lt;/i&gt;</a>');
  expect(post.content).not.toContain('[gallery]');
  expect(post.content).toContain('<cite>A witness</cite>');
  // Both photos are in their places, each once.
  expect(await wordpress.php<number>(COUNT_MEDIA)).toBe(before + 2);
  const blocks = await wordpress.php<{ name: string; html: string }[]>(blocksIn(link));
  expect(blocks.map(({ name }) => name)).toEqual([
    ...[
      'paragraph',
      'image',
      'list',
      'quote',
      'image',
      'table',
      'paragraph',
      'quote',
      'paragraph',
      'paragraph',
    ],
  ]);
  expect(blocks[1]?.html).toMatch(
    /<img src="[^"]+\.webp" alt="The river at the third step of the quay" class="wp-image-\d+"\/>/,
  );
  expect(blocks[1]?.html).toContain(
    '<figcaption class="wp-element-caption">Harrow Bridge at noon – A. Reporter</figcaption>',
  );
  expect(blocks[4]?.html).toContain('alt="A boat &quot;at&quot; &lt;the&gt; quay &#91;gallery&#93;"');
  expect(blocks[6]?.html).toContain('https://www.openstreetmap.org/?mlat=53.3&amp;mlon=-6.2');
  expect(blocks[7]?.html).toContain(
    '<cite><a href="https://social.example/@ann/1">Ann, @ann, Mastodon</a></cite>',
  );
  expect(blocks[8]?.html).toContain('<a href="https://vimeo.com/76979871">The flood from above</a>');
  expect(post.content).toContain(`<a href="${site.url}/live/${coverage.slug}/${update.number}">`);

  const { data: log } = await people.owner.client.rpc('desk_log', { action_name: 'make_wordpress_draft' });
  expect(log).toHaveLength(1);
  const { data: listed } = await people.editor.client.rpc('list_wordpress_drafts', {
    coverage_id: coverage.id,
  });
  expect(listed).toEqual({ is_connected: true, links: { [update.id]: link } });
});

test('works with permalinks', async ({ newsroom, wordpress, connect }) => {
  const { people } = newsroom;
  await wordpress.php(
    `global $wp_rewrite; $wp_rewrite->set_permalink_structure( '/%postname%/' ); flush_rewrite_rules(); return true;`,
  );
  await connect();
  expect((await ask(people.owner.client, { act: 'test' })).status).toBe(200);
  const update = await newsroom.publish();
  const { data } = await ask(people.editor.client, { act: 'draft', update: update.id });
  await wordpress.php(`global $wp_rewrite; $wp_rewrite->set_permalink_structure( '' ); return true;`);
  expect(await wordpress.php<Post>(readPost(data.link))).toMatchObject({ status: 'draft' });
});

test('finds the draft of a call that failed after it had made one', async ({
  site,
  newsroom,
  wordpress,
  connect,
}) => {
  const { people } = newsroom;
  await connect();
  const update = await newsroom.publish();
  const first = await ask(people.editor.client, { act: 'draft', update: update.id });
  expect(first.data.isNew).toBe(true);
  const before = await wordpress.php<number>(COUNT_POSTS);
  const { block } = await addPhoto(site, newsroom);
  const other = await newsroom.publish({ body: [paragraph('Seen.'), block] });
  // The answer of WordPress is lost: the database knows of a call, but of no draft.
  expect(await people.editor.client.rpc('claim_wordpress_draft', { update_id: other.id })).toMatchObject({
    error: null,
  });
  expect(await ask(people.editor.client, { act: 'draft', update: other.id })).toMatchObject({
    status: 409,
    data: { reason: 'wordpress_draft_in_progress' },
  });
  const url = `${site.url}/live/${newsroom.coverage.slug}/${other.number}`;
  const lost = await wordpress.php<number>(
    `return wp_insert_post( array( 'post_title' => 'Lost', 'post_content' => ${phpText(`<p><a href="${url}">a</a></p>`)} ) );`,
  );
  await site.service.rpc('finish_wordpress_draft', { update_id: other.id });
  const again = await ask(people.editor.client, { act: 'draft', update: other.id });
  expect(again.data.link).toContain(`post=${lost}&`);
  // A person may have changed it, so its text stays.
  expect(again.data).toMatchObject({ isNew: true, missingPhotos: 1 });
  expect((await wordpress.php<Post>(readPost(again.data.link))).content).toBe(
    `<p><a href="${url}">a</a></p>`,
  );
  expect(await wordpress.php<number>(COUNT_POSTS)).toBe(before + 1);
});

test('says how many photos could not be uploaded, leaves links in their places, and uploads none twice', async ({
  site,
  newsroom,
  wordpress,
  connect,
}) => {
  const { people } = newsroom;
  await connect();
  const photos = [
    await addPhoto(site, newsroom),
    await addPhoto(site, newsroom),
    await addPhoto(site, newsroom),
  ];
  const [refused] = photos;
  await wordpress.php(`
    wp_mkdir_p( WPMU_PLUGIN_DIR );
    return file_put_contents( WPMU_PLUGIN_DIR . '/refuse.php', ${phpText(`<?php
      add_filter( 'wp_handle_sideload_prefilter', function ( $file ) {
        if ( false !== strpos( $file['name'], '${refused?.id}' ) ) {
          $file['error'] = 'The disk is full.';
        }
        return $file;
      } );`)} );`);
  const update = await newsroom.publish({ body: [paragraph('Seen.'), ...photos.map(({ block }) => block)] });
  const before = await wordpress.php<number>(COUNT_MEDIA);
  const { data } = await ask(people.editor.client, { act: 'draft', update: update.id });
  await wordpress.php(`return unlink( WPMU_PLUGIN_DIR . '/refuse.php' );`);
  expect(data).toMatchObject({ isNew: true, missingPhotos: 1 });
  const blocks = await wordpress.php<{ name: string; html: string }[]>(blocksIn(data.link));
  expect(blocks.map(({ name }) => name)).toEqual(['paragraph', 'paragraph', 'image', 'image', 'paragraph']);
  expect(blocks[1]?.html).toContain(`<a href="${site.url}/photos/${refused?.id}/1600">${ALT}</a>`);
  expect(await wordpress.php<Post>(readPost(data.link))).toMatchObject({ photo: { alt: ALT } });

  // The next call opens the same draft.
  expect(await ask(people.owner.client, { act: 'draft', update: update.id })).toEqual({
    status: 200,
    data: { link: data.link, isNew: false, missingPhotos: 0 },
  });
  expect(await wordpress.php<number>(COUNT_MEDIA)).toBe(before + 2);
});

test('leaves the photo out where the user of WordPress may not upload files', async ({
  site,
  newsroom,
  wordpress,
  connect,
}) => {
  const { people } = newsroom;
  await connect('contributor');
  expect((await ask(people.owner.client, { act: 'test' })).data).toMatchObject({ hasUploads: false });
  const { block } = await addPhoto(site, newsroom);
  const update = await newsroom.publish({ body: [paragraph('Seen at noon.'), block] });
  const { data } = await ask(people.editor.client, { act: 'draft', update: update.id });
  expect(data).toMatchObject({ isNew: true, missingPhotos: 1 });
  expect(await wordpress.php<Post>(readPost(data.link))).toMatchObject({ status: 'draft', photo: null });
});

test('says what is wrong with user, password, rights and address, and makes nothing', async ({
  newsroom,
  wordpress,
  connect,
}) => {
  const { people } = newsroom;
  const update = await newsroom.publish();
  const before = await wordpress.php<number>(COUNT_POSTS);
  const draft = () => ask(people.editor.client, { act: 'draft', update: update.id });
  const check = () => ask(people.owner.client, { act: 'test' });
  const expectReason = async (reason: string) => {
    expect((await check()).data.reason).toBe(reason);
    expect((await draft()).data.reason).toBe(reason);
  };

  expect((await connect('editor', { password: 'abcd efgh ijkl mnop qrst uvwx' })).status).toBe(200);
  await expectReason('wordpress_password_refused');
  expect((await connect('editor', { username: 'nobody' })).status).toBe(200);
  await expectReason('wordpress_password_refused');
  expect((await connect('subscriber')).status).toBe(200);
  await expectReason('wordpress_may_not_write');

  const owner = people.owner.client;
  for (const [more, reason] of [
    [{ url: 'http://127.0.0.1:1' }, 'address_not_public'],
    [{ url: 'https://10.0.0.1' }, 'address_not_public'],
    [{ url: 'http://paper.example' }, 'wordpress_needs_https'],
    [{ url: 'https://me:secret@paper.example' }, 'invalid_address'],
    [{ url: `${wordpress.url}/?a=b` }, 'invalid_address'],
    [{ username: '' }, 'invalid_line'],
    [{ password: 'short' }, 'wordpress_password_form'],
    [{ password: 'a line\r\nX-Evil: 1 and é' }, 'wordpress_password_form'],
  ] as const)
    expect((await connect('editor', more)).data.reason, JSON.stringify(more)).toBe(reason);

  expect(await owner.rpc('remove_wordpress', { idempotency_key: randomUUID() })).toMatchObject({
    error: null,
  });
  await expectReason('wordpress_not_connected');
  expect(await wordpress.php<number>(COUNT_POSTS)).toBe(before);

  await connect();
  expect((await draft()).data.isNew).toBe(true);
});

test('refuses everyone but editors and owners, and updates that readers do not see', async ({
  newsroom,
  wordpress,
  connect,
}) => {
  const { people } = newsroom;
  await connect();
  const before = await wordpress.php<number>(COUNT_POSTS);
  const update = await newsroom.publish();
  for (const role of ['reader', 'contributor', 'reporter', 'moderator'] as const) {
    expect((await ask(people[role].client, { act: 'draft', update: update.id })).status, role).toBe(403);
    const user = { url: wordpress.url, username: 'x', password: 'x'.repeat(24) };
    expect((await ask(people[role].client, { act: 'save', ...user })).status, role).toBe(403);
    expect((await ask(people[role].client, { act: 'test' })).status, role).toBe(403);
  }
  expect((await ask(people.editor.client, { act: 'test' })).status).toBe(403);
  await newsroom.withdraw(update, 'It was wrong.');
  const { data } = await ask(people.editor.client, { act: 'draft', update: update.id });
  expect(data).toMatchObject({ code: 'gone', reason: 'update_withdrawn' });
  expect(await wordpress.php<number>(COUNT_POSTS)).toBe(before);
});

/** Answers in WordPress's place. */
async function withServer(port: number, answer: RequestListener, run: () => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(port, '127.0.0.1');
  try {
    await run();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const other = base
  .extend('ownSite', true)
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  .extend('port', { scope: 'file' }, async ({}) => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  })
  .extend(
    'environment',
    { scope: 'file' },
    ({ port }): Record<string, string> => ({
      STOPPRESS_PRIVATE_WORDPRESS: `http://127.0.0.1:${port}`,
    }),
  );

other('says that WordPress is gone, redirects, or is something else', async ({ newsroom, port }) => {
  const { people } = newsroom;
  const url = `http://127.0.0.1:${port}`;
  const update = await newsroom.publish();
  await ask(people.owner.client, { act: 'save', url, username: 'desk', password: 'x'.repeat(24) });
  const draft = async () => (await ask(people.editor.client, { act: 'draft', update: update.id })).data;

  expect(await draft()).toMatchObject({ code: 'unavailable', reason: 'wordpress_unreachable' });
  const paths: string[] = [];
  await withServer(
    port,
    (request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(301, { location: 'https://www.paper.example/' }).end();
    },
    async () => {
      expect(await draft()).toMatchObject({
        reason: 'wordpress_moved',
        location: 'https://www.paper.example/',
      });
    },
  );
  // The password is not sent to where it redirects.
  expect(paths).toHaveLength(1);
  for (const [answer, reason] of [
    [{ status: 503, body: '' }, 'wordpress_unreachable'],
    [{ status: 200, body: '<h1>Hello</h1>' }, 'wordpress_not_understood'],
    [{ status: 404, body: 'none' }, 'wordpress_not_understood'],
    [{ status: 403, body: 'Blocked by a firewall' }, 'wordpress_not_understood'],
    [{ status: 200, body: '"text"' }, 'wordpress_not_understood'],
    [{ status: 201, body: '{"id":"1"}' }, 'wordpress_not_understood'],
    [{ status: 200, body: ' '.repeat(1_200_000) }, 'wordpress_unreachable'],
  ] as const)
    await withServer(
      port,
      (_, response) => response.writeHead(answer.status).end(answer.body),
      async () => {
        expect(await draft(), JSON.stringify(answer).slice(0, 80)).toMatchObject({ reason });
      },
    );
  // The last answer was cut off, so WordPress may have made the draft.
  expect(await draft()).toMatchObject({ reason: 'wordpress_draft_in_progress' });
});
