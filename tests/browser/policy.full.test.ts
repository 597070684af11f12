import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { test } from '../support/browser.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { addPhoto, announcePhoto, makePhoto, processPhoto, uploadPhoto } from '../support/photos.ts';
import { signIn } from '../support/sign-in.ts';
import { sendTip } from '../support/tips.ts';

test('blocks injected scripts, styles, requests and forms, and reports the violations', async ({
  newsroom,
  visit,
}) => {
  const { page, expectViolation } = await visit();
  expectViolation(
    /style|script|img-src|connect-src|form-action|base-uri|object|frame-src|default-src|Refused to connect/i,
  );
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const violations = new Set<string>();
  await page.exposeFunction('reportDirective', (directive: string) => violations.add(directive));
  await page.evaluate(async () => {
    const { reportDirective } = window as unknown as { reportDirective(directive: string): void };
    document.addEventListener('securitypolicyviolation', (event) =>
      reportDirective(event.effectiveDirective),
    );
    const put = (html: string) => document.body.insertAdjacentHTML('beforeend', html);
    put('<p style="color: red" onclick="window.hit = 1">x</p><style>p { color: red }</style>');
    put(
      '<img src="http://127.0.0.1:9/x.png"><object data="/favicon.svg"></object><iframe src="http://127.0.0.1:9/"></iframe>',
    );
    put(
      '<img src="data:," onerror="window.hit = 2"><form id="away" action="http://127.0.0.1:9/"><input name="a"></form>',
    );
    const script = document.createElement('script');
    script.textContent = 'window.hit = 3';
    document.body.append(script);
    const base = document.createElement('base');
    base.href = 'http://127.0.0.1:9/';
    document.head.append(base);
    (document.querySelector('#away') as HTMLFormElement).submit();
    await fetch('http://127.0.0.1:9/', { mode: 'no-cors' }).catch(() => {});
  });
  await expect
    .poll(() => [...violations].sort())
    .toEqual([
      'base-uri',
      'connect-src',
      'form-action',
      'frame-src',
      'img-src',
      'object-src',
      'script-src-attr',
      'script-src-elem',
      'style-src-attr',
      'style-src-elem',
    ]);
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
});

test('opens machine-readable resources in a browser without policy violations', async ({
  site,
  newsroom,
  visit,
}) => {
  const { block, id } = await addPhoto(site, newsroom);
  await newsroom.publish({ headline: 'With a photo', body: [paragraph('High water.'), block] });
  const live = `/live/${newsroom.coverage.slug}`;
  const { page, expectError } = await visit();
  // These documents name no icon, so the browser requests the default one.
  expectError(/favicon\.ico/);
  for (const path of [
    '/feed.atom',
    '/feed.json',
    `${live}/feed.atom`,
    `${live}/feed.json`,
    '/sitemap.xml',
    '/sitemap-news.xml',
    '/robots.txt',
    '/manifest.webmanifest',
    '/opensearch.xml',
    '/favicon.svg',
    '/sw.js',
    '/desk-sw.js',
    '/card.png',
    `${live}/card.png`,
    `/photos/${id}/480`,
    `${live}/changes?after=0`,
    `/oembed?url=${encodeURIComponent(`${site.url}${live}`)}`,
  ]) {
    const answer = await page.goto(path).catch((error: Error) => error.message);
    // A download is no page.
    if (typeof answer === 'string') expect(answer).toContain('Download is starting');
    else expect(answer?.status(), path).toBe(200);
  }
});

/** Text that becomes markup or script where it is not escaped. */
const HOSTILE = [
  `"><img src=x onerror="window.hit='img'">`,
  `</script><script>window.hit='script'</script>`,
  `</title></style></textarea></noscript><svg onload="window.hit='svg'">`,
  `' autofocus onfocus='window.hit=1' x='`,
  '<!--<script>]]>&lt;b&gt;&#60;i&#62;',
  '{{7*7}}\u202Egnp.exe\u2066',
].join(' ');
const hostileText = (length: number) => [...HOSTILE].slice(0, length).join('');

test('shows hostile text as text on every page, for readers and at the desk', async ({
  site,
  people,
  newsroom,
  visit,
}) => {
  const { coverage } = newsroom;
  const photo = await announcePhoto(newsroom, null);
  const photoContent = { alt: hostileText(250), caption: HOSTILE, credit: hostileText(120) };
  await call(people.reporter.client, 'save_photo', {
    photo_id: photo,
    coverage_id: coverage.id,
    content: photoContent,
  });
  await uploadPhoto(newsroom, photo, await makePhoto(600, 400));
  await processPhoto(site, photo);
  const content = {
    headline: hostileText(120),
    key_event: true,
    dateline: hostileText(80),
    attribution: hostileText(120),
    body: [
      {
        type: 'paragraph',
        runs: [
          { text: HOSTILE },
          { text: HOSTILE, link: 'https://example.org/?a="><b>'.replace(/["<>]/g, encodeURIComponent) },
        ],
      },
      { type: 'list', ordered: true, items: [[{ text: HOSTILE }]] },
      { type: 'quote', text: HOSTILE, attribution: hostileText(120) },
      {
        type: 'table',
        rows: [[[{ text: HOSTILE }]], [[{ text: HOSTILE }]]],
        caption: hostileText(500),
        source: hostileText(120),
      },
      {
        type: 'link',
        url: "https://example.org/'onmouseover='hit",
        title: hostileText(300),
        description: HOSTILE,
        site: hostileText(120),
      },
      { type: 'map', name: hostileText(80), latitude: 53.69, longitude: -0.44 },
      {
        type: 'post',
        url: "https://example.org/'onmouseover='hit",
        author: hostileText(100),
        handle: '@"><img/src=x/onerror=window.hit=1>',
        network: hostileText(60),
        text: HOSTILE,
        quoted_at: '2026-11-28T14:02:00Z',
      },
      { type: 'photo', photo },
      { type: 'media', url: 'https://vimeo.com/1', title: hostileText(300), description: HOSTILE },
    ],
  };
  const update_id = randomUUID();
  await call(people.reporter.client, 'publish_update', {
    coverage_id: coverage.id,
    update_id,
    content,
  });
  const update = await newsroom.publish({
    headline: hostileText(120),
    key_event: true,
    body: [paragraph(HOSTILE)],
  });
  await newsroom.correct(
    update,
    { headline: hostileText(119), key_event: true, body: [paragraph(hostileText(150))] },
    hostileText(500),
  );
  const wrong = await newsroom.publish({ headline: hostileText(100) });
  await newsroom.withdraw(wrong, hostileText(500));
  await newsroom.pin({ ...update, version: 2 });
  await newsroom.setSummary([paragraph(HOSTILE)]);
  await call(people.editor.client, 'save_topic', {
    slug: 'hostile',
    name: hostileText(60),
    description: hostileText(300),
  });
  await sendTip(site, {
    body: HOSTILE,
    name: hostileText(60),
    contact: hostileText(120),
    coverage: coverage.slug,
  });

  const expectHarmless = async (page: Awaited<ReturnType<typeof visit>>['page'], path: string) => {
    const answer = await page.goto(path);
    expect([200, 410], path).toContain(answer?.status());
    await page.waitForFunction(() => !document.querySelector('astro-island[ssr]:not(details *)'));
    const injected = await page.evaluate(() => ({
      hit: (window as { hit?: unknown }).hit,
      planted: document.querySelectorAll('[onerror],[onload],[onfocus],[onmouseover],img[src="x"]').length,
    }));
    expect(injected, path).toEqual({ hit: undefined, planted: 0 });
  };
  const { page: reader, expectError } = await visit();
  expectError(/410/);
  const live = `/live/${coverage.slug}`;
  for (const path of ['', '/1', '/2', '/3', '/embed', '/timeline', '?show=key'].map((rest) => live + rest))
    await expectHarmless(reader, path);
  for (const path of [
    '/',
    '/topics/hostile',
    '/corrections',
    `/search?q=${encodeURIComponent(HOSTILE)}`,
    '/search?q=script',
  ])
    await expectHarmless(reader, path);
  const { page: editor } = await visit();
  await signIn(editor, people.editor);
  for (const path of [
    `/desk/${coverage.slug}`,
    `/desk/${coverage.slug}/settings`,
    '/desk',
    '/desk/tips',
    '/desk/photos',
    `/desk/photos/${photo}`,
  ])
    await expectHarmless(editor, path);
});
