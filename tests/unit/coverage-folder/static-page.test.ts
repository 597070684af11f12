import { describe, expect, test } from 'vitest';
import { english } from '../../../src/lib/i18n/en/all.ts';
import type { LinkContext } from '../../../src/lib/publishing/coverage-folder/links.ts';
import { MissingPhotoError, staticPage } from '../../../src/lib/publishing/coverage-folder/static-page.ts';

const contextFor = (more: Partial<LinkContext> = {}): LinkContext => ({
  coverage: { slug: 'river', slugs: ['river'], update_count: 38 },
  siteUrl: 'https://news.example',
  page: { path: '/live/river', file: 'index.html' },
  media: new Set(),
  renditionFileOf: (id, width) => (id === 'p' ? `photos/p-${Math.min(width, 800)}.webp` : undefined),
  ...more,
});

const HEAD = '<meta charset="utf-8"><title>The river</title><style>b{color:red}</style>';
const page = (body: string, head = HEAD) =>
  `<!doctype html><html lang="en" data-words="en"><head>${head}</head><body>${body}</body></html>`;
const exported = (body: string, head?: string, more?: Partial<LinkContext>) =>
  staticPage(english, page(body, head), contextFor(more));
const bodyOf = (body: string) => /<body>(.*)<\/body>/s.exec(exported(body).html)?.[1];

describe('removes elements that run, request, send or wait', () => {
  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script of a file', '<script type="module" src="/_astro/x.js"></script>'],
    ['a comment', '<!--astro:end-->'],
    [
      'a form',
      '<form action="/tips" method="post"><p>Tell us</p><input name="a"><button>Send</button></form>',
    ],
    ['the tip box', '<details class="tip-us"><summary>Tell us</summary><form></form></details>'],
    ['a button', '<p><button type="button">Follow</button></p>'],
    [
      'the way to alerts',
      '<div class="following"><p class="alerts"><a href="/follow/live/river">Get alerts</a></p></div>',
    ],
    [
      'the check',
      '<div class="following"><p class="check"><a href="/live/river">Check</a> <button hidden>x</button></p></div>',
    ],
    ['staff sign-in', '<footer class="folio"><ul><li><a href="/sign-in">Staff</a></li></ul></footer>'],
    [
      'the link to the oldest updates',
      '<nav class="views"><a href="/live/river?order=oldest">Oldest first</a></nav>',
    ],
    ['the way to all alerts', '<div class="masthead"><a href="/follow">Alerts</a></div>'],
    ['the search link', '<p class="more"><a href="/search?coverage=river">Search this coverage</a></p>'],
    [
      'the frame and the button of a player',
      '<div class="media"><div class="frame"><svg></svg></div><p class="play"><a href="https://vimeo.com/1">Open</a><button>Play</button></p></div>',
    ],
    ['a template', '<template><p>x</p></template>'],
  ])('removes %s', (_, body) => {
    expect(bodyOf(body)?.replace(/<(div|footer)[^>]*><\/\1>/, '')).toBe('');
  });

  test('from the head', () => {
    const { html } = exported(
      '',
      `${HEAD}<link rel="manifest" href="/m"><link rel="modulepreload" href="/x.js"><link rel="search" href="/opensearch.xml"><link rel="PREFETCH" href="/y">
       <meta http-equiv="refresh" content="0;url=/"><base href="/"><link rel="alternate" type="application/json+oembed" href="https://news.example/oembed?url=x">`,
    );
    for (const removed of [
      'manifest',
      'modulepreload',
      'opensearch',
      'PREFETCH',
      'refresh',
      '<base',
      'oembed',
    ])
      expect(html).not.toContain(removed);
  });

  test('from attributes', () => {
    expect(
      bodyOf(
        '<main id="coverage" class="c" data-id="1" data-build="b" onclick="x()" style="color:red"><h2 data-day="2026-01-01">x</h2></main>',
      ),
    ).toBe('<main id="coverage" class="c"><h2 data-day="2026-01-01">x</h2></main>');
  });
});

test("keeps the newsroom's text, also with a link to a form", () => {
  expect(
    bodyOf('<article><p>Write to <a href="/tips">us</a> &lt;today&gt; &amp; “now”\u00a0— ñ</p></article>'),
  ).toBe(
    '<article><p>Write to <a href="https://news.example/tips">us</a> &lt;today&gt; &amp; “now”&nbsp;— ñ</p></article>',
  );
  expect(bodyOf('<article><footer><a href="/tips">Tips</a></footer></article>')).toBe(
    '<article><footer><a href="https://news.example/tips">Tips</a></footer></article>',
  );
  expect(bodyOf('<article><p>See <a href="javascript:alert(1)">this</a></p></article>')).toBe(
    '<article><p>See <a>this</a></p></article>',
  );
});

test('keeps the server-rendered HTML of islands', () => {
  expect(
    bodyOf(
      '<astro-island uid="x" props="{&quot;backend&quot;:1}"><!--[--><astro-slot><p id="status">Live</p></astro-slot></astro-island>',
    ),
  ).toBe('<p id="status">Live</p>');
});

test('keeps structured data', () => {
  const data =
    '<script type="application/ld+json">{"url":"https://news.example/live/river","x":"\\u003cb> & “y”"}</script>';
  expect(bodyOf(data)).toBe(data);
});

test('shows photos as images from the folder', () => {
  const html = bodyOf(
    `<div class="frame"><svg viewBox="0 0 8 5" preserveAspectRatio="xMinYMid"><path d="M0 0"></path></svg>
     <div class="place" data-photo="p"><a href="/photos/p/480">Show photo</a><p>The river</p></div>
     <noscript><img src="/photos/p/480" srcset="/photos/p/480 480w, /photos/p/960 800w" sizes="100vw" alt="The river"></noscript></div>`,
  );
  expect(html).toContain(
    '<img src="photos/p-480.webp" srcset="photos/p-480.webp 480w, photos/p-800.webp 800w" sizes="100vw" alt="The river">',
  );
  expect(html).toContain('viewBox="0 0 8 5" preserveAspectRatio="xMinYMid"');
  expect(html).not.toMatch(/noscript|Show photo/);
  expect(() => exported('<img src="/photos/q/480" alt="">')).toThrow(MissingPhotoError);
});

test('moves styles to a file named by content, and allows nothing else to load', () => {
  const one = exported('', `${HEAD}<style>i{color:blue}</style>`);
  expect(one.style.text).toBe('b{color:red}\ni{color:blue}');
  expect(one.html).toContain(`<link rel="stylesheet" href="${one.style.file}">`);
  expect(one.html).not.toContain('<style');
  expect(one.html).toContain("default-src 'none'");
  const other = exported('', HEAD, { page: { path: '/live/river/7', file: 'updates/7.html' } });
  expect(other.style.file).not.toBe(one.style.file);
  expect(other.html).toContain(`href="../${other.style.file}"`);
});

test('links from the head to files, and names the original page', () => {
  const { html, linkedPages: leadsTo } = exported(
    '',
    `${HEAD}<link rel="canonical" href="https://news.example/live/river"><link rel="next" href="/live/river?before=21">
     <link rel="alternate" type="application/atom+xml" href="https://news.example/live/river/feed.atom">`,
  );
  expect(html).toContain('<link rel="canonical" href="https://news.example/live/river">');
  expect(html).toContain('<link rel="next" href="page-21.html">');
  expect(html).toContain('href="feed.atom"');
  expect(leadsTo.map(({ file }) => file)).toEqual(['page-21.html', 'feed.atom']);
});

test('adds a notice with a link to the original page', () => {
  const html = bodyOf(
    '<p id="saved" hidden>Saved copy</p><footer class="folio"><p class="address">a</p><p>Page as of <time datetime="x">now</time></p></footer>',
  );
  expect(html).toBe(
    '<p id="saved">Saved copy</p><footer class="folio"><p>Archived copy. Original page: <a href="https://news.example/live/river">https://news.example/live/river</a></p></footer>',
  );
});
