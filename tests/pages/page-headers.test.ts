import { createHash, randomUUID } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { expect } from 'vitest';
import { SIGNED_IN_SCRIPT } from '../../src/lib/domain/sign-in.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/newsroom.ts';
import { test } from '../support/test.ts';
import { ask, fill, get, live } from './reading-context.ts';

test('answers 304 until the page changes', async ({ site, newsroom }) => {
  await newsroom.publish();
  for (const path of [live(newsroom), live(newsroom, '/1'), '/', '/about']) {
    // The message of the publication may arrive between two requests and remove the first copy.
    const { etag, again } = await eventually(async () => {
      const etag = (await ask(site, path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\//);
      const again = await ask(site, path, { 'If-None-Match': etag });
      expect(again.status).toBe(304);
      return { etag, again };
    });
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.get('cache-control')).toMatch(/^max-age=0/);
    // It would replace the policy of the stored page.
    expect(again.headers.get('content-security-policy')).toBeNull();
    expect(await again.text()).toBe('');
    if (!path.startsWith('/live')) continue;
    await newsroom.publish();
    expect((await ask(site, path, { 'If-None-Match': etag })).status).toBe(200);
  }
});

test('invalidates pages when the time zone of a coverage or of the site changes', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish();
  const { editor, owner, reporter } = newsroom.people;
  const etagsOf = async (paths: string[]) =>
    new Map(
      await Promise.all(
        paths.map(async (path) => [path, (await ask(site, path)).headers.get('etag') ?? ''] as const),
      ),
    );
  const expectChanged = async (etags: Map<string, string>, zone: string) => {
    for (const [path, etag] of etags) {
      const again = () => ask(site, path, { 'If-None-Match': etag });
      await expect.poll(async () => (await again()).status, { message: path }).toBe(200);
      expect(await (await again()).text(), path).toContain(zone);
    }
  };
  const ofCoverage = await etagsOf([live(newsroom), live(newsroom, '/1')]);
  await call(editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: 1,
    content: { time_zone: 'Asia/Kathmandu' },
  });
  await expectChanged(ofCoverage, 'GMT+5:45');

  const ofSite = await etagsOf(['/', '/archive', '/corrections', `/people/${reporter.handle}`]);
  await call(owner.client, 'save_site', { content: { time_zone: 'Asia/Kolkata' } });
  await expectChanged(ofSite, 'IST');
  await call(owner.client, 'save_site', { content: { time_zone: 'UTC' } });
});

test('invalidates the page of an update when its coverage changes', async ({ site, newsroom, people }) => {
  const { client } = people.editor;
  const coverage_id = newsroom.coverage.id;
  await newsroom.publish();
  const page = live(newsroom, '/1');
  const topic = `floods-${coverage_id}`;
  await call(client, 'save_topic', { slug: topic, name: 'Floods' });
  const save = async (content: Record<string, unknown>) => {
    const { data } = await client.from('coverages').select('version').eq('id', coverage_id).single();
    await call(client, 'save_coverage', { coverage_id, version: data?.version, content });
  };
  for (const [what, change] of [
    ['kicker', () => save({ kicker: 'Weather' })],
    ['topics', () => save({ topics: [topic] })],
    ['state', () => call(client, 'set_coverage_state', { coverage_id, state: 'ended' })],
  ] as const) {
    const etag = (await ask(site, page)).headers.get('etag') ?? '';
    await change();
    await expect
      .poll(async () => (await ask(site, page, { 'If-None-Match': etag })).status, { message: what })
      .toBe(200);
  }
});

test('allows short caching and names the cache tags of each page', async ({ site, newsroom }) => {
  await newsroom.publish();
  const id = newsroom.coverage.id;
  const handle = newsroom.people.reporter.handle;
  for (const [path, tags] of [
    [live(newsroom), `site,coverage:${id}`],
    [live(newsroom, '/1'), `site,coverage-fields:${id},list-page:${id}:1`],
    [live(newsroom, '/9'), `site,coverage:${id}`],
    ['/', 'site,lists'],
    [`/people/${handle}`, 'site,updates'],
    ['/live/none', 'site,missing'],
  ] as const) {
    const { headers } = await ask(site, path);
    expect(headers.get('cache-tag')).toBe(tags);
    expect(headers.get('cache-control')).toMatch(/^max-age=0, s-maxage=\d+(, stale-if-error=\d+|$)/);
  }
});

test('sends security headers with pages, errors and redirects', async ({ site, newsroom }) => {
  await newsroom.publish();
  const paths = [
    '/',
    live(newsroom),
    live(newsroom, '/1'),
    live(newsroom, '?before=5'),
    '/live/none',
    '/none',
    '/robots.txt',
    '/sign-in',
  ];
  for (const path of paths) {
    const { headers } = await ask(site, path);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin');
    expect(headers.get('content-security-policy'), path).toMatch(
      /default-src '(self|none)'.*frame-ancestors 'none'/,
    );
    // Responses without a page may load nothing, except for the browser's own styles.
    const policy = headers
      .get('content-security-policy')
      ?.replace(/^default-src 'none'; style-src 'unsafe-inline';/, '');
    expect(policy, path).not.toContain('unsafe');
    expect(headers.get('strict-transport-security'), path).toBeNull();
  }
  expect((await get(site, live(newsroom))).html).not.toMatch(/ style="/);
});

test('sends a live page of 19 updates of sixty words within the first ten TCP segments', async ({
  site,
  newsroom,
}) => {
  for (let n = 1; n <= 19; n++)
    await newsroom.publish(n % 4 ? {} : { headline: `What report ${n} says`, key_event: true });
  const response = await ask(site, live(newsroom));
  const page = Buffer.from(await response.arrayBuffer());
  const packed = brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length;
  const headers = [...response.headers].join('\r\n').length;
  // Ten TCP segments, the initial congestion window.
  expect(packed + headers).toBeLessThan(14_600);
});

const hashOf = (script: string) => createHash('sha256').update(script).digest('base64');
const accountScriptHash = hashOf(SIGNED_IN_SCRIPT);

test('has only the inline scripts for the account link and for sharing, and allows no other, on pages without an island', async ({
  site,
  newsroom,
}) => {
  const { editor, reporter } = newsroom.people;
  const topic = `topic-${randomUUID().slice(0, 8)}`;
  await call(editor.client, 'save_topic', { slug: topic, name: 'Floods' });
  const content = { topics: [topic] };
  await call(editor.client, 'save_coverage', { coverage_id: newsroom.coverage.id, version: 1, content });
  await newsroom.publish({ headline: 'Hers', key_event: true });
  await fill(site, newsroom, 29);
  const paths = [
    '/',
    '/about',
    '/privacy',
    '/corrections',
    `/topics/${topic}`,
    `/people/${reporter.handle}`,
    '/nowhere',
  ];
  const pages = ['/1', '?before=11', '?order=oldest', '?show=key'].map((rest) => live(newsroom, rest));
  const ACCOUNT = `<script>${SIGNED_IN_SCRIPT}</script>`;
  const SHARING = /<script type="module">([^<]*navigator\.share[\s\S]*?)<\/script>/;
  for (const path of [...paths, ...pages]) {
    const answer = await ask(site, path);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const page = await answer.text();
    const sharing = SHARING.exec(page)?.[1];
    expect(sharing !== undefined, path).toBe(pages.includes(path));
    const hashes = [accountScriptHash, ...(sharing ? [hashOf(sharing)] : [])];
    const sources = ["'self'", ...hashes.map((hash) => `'sha256-${hash}'`)];
    expect(/script-src ([^;]*)/.exec(policy)?.[1], path).toBe(sources.join(' '));
    const html = page.replace(ACCOUNT, '').replace(SHARING, '');
    expect(html.match(/<script(?! type="application\/ld\+json")|<astro-island|modulepreload/g), path).toBe(
      null,
    );
  }
  expect((await get(site, live(newsroom))).html).toMatch(/<script>[\s\S]*<astro-island/);
});
