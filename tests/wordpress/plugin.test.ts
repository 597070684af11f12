import { decodeHTML } from 'entities';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeSite, partOf, startFakeSite } from '../support/wordpress/fake-site.ts';
import { phpText, startWordPress, type WordPress } from '../support/wordpress/wordpress.ts';

let site: FakeSite;
let wordpress: WordPress;
beforeAll(async () => {
  [site, wordpress] = await Promise.all([startFakeSite(), startWordPress('6.4')]);
});
afterAll(async () => {
  await Promise.all([site?.stop(), wordpress?.stop()]);
});

beforeEach(async () => {
  await wordpress.php(`update_option( 'stoppress_site', ${phpText(site.url)} ); ${FORGET_COPIES}`);
  site.answer({ body: partOf('<h2>Flood</h2>') });
  site.forget();
});

const setSite = (url: string) => wordpress.php(`return update_option( 'stoppress_site', ${phpText(url)} );`);

/** Removes all copies, and the marks of failed requests. */
const FORGET_COPIES = `
  global $wpdb;
  $names = $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%stoppress\\\\_copy%' OR option_name LIKE '%stoppress\\\\_away%'" );
  array_map( 'delete_option', $names );
  return true;`;

/** Makes all copies, and the marks of failed requests, this old. */
const setAge = (seconds: number) =>
  wordpress.php(`
    global $wpdb;
    foreach ( $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'stoppress\\\\_copy%'" ) as $name ) {
      update_option( $name, array( 'at' => time() - ${seconds} ) + get_option( $name ), false );
    }
    foreach ( $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'stoppress\\\\_away%'" ) as $name ) {
      update_option( $name, time() - ${seconds}, false );
    }
    return true;`);

/** Posts by the attributes of their block. */
const posts = new Map<string, Promise<string>>();

/** Publishes a post with a block, or returns the one with the same block. */
function publish(more: Record<string, unknown> = {}): Promise<string> {
  const key = JSON.stringify(more);
  const post = posts.get(key) ?? wordpress.publishBlock({ coverage: 'flood', ...more });
  posts.set(key, post);
  return post;
}

const htmlOf = async (url: string) => (await fetch(url)).text();

/** The address that open pages check, from the page of a post. */
function partAddressIn(html: string): string {
  const [, address = ''] = /data-part="([^"]+)"/.exec(html) ?? [];
  return decodeHTML(address);
}

/** What a post shows in its block. */
async function contentOf(post: string): Promise<string> {
  const response = await fetch(partAddressIn(await htmlOf(post)));
  return ((await response.json()) as { html: string }).html;
}

describe('the block', () => {
  test('shows the part in the HTML of the post', async () => {
    const html = await htmlOf(await publish({ layout: 'newest', heading: 3, updates: 5 }));
    expect(html).toContain('<h2>Flood</h2>');
    expect(site.requests.map(({ path }) => path)).toEqual([
      '/live/flood/part?layout=newest&updates=5&heading=3',
    ]);
  });

  test('shows nothing without a coverage, for a wrong one, and without an address', async () => {
    for (const coverage of ['', '../secret', 'Flood', 'a'.repeat(200)])
      expect(await htmlOf(await publish({ coverage }))).not.toContain('data-part');
    await setSite('');
    expect(await htmlOf(await publish())).not.toContain('data-part');
    expect(site.requests).toEqual([]);
  });

  test('prints the structured data of its main address only, as data', async () => {
    const data = { '@context': 'https://schema.org', '@type': 'LiveBlogPosting', headline: '</script><b>x' };
    const json = JSON.stringify(data).replaceAll('<', '\\u003c');
    site.answer({ body: partOf('Text', { data: json }) });
    expect(await htmlOf(await publish())).not.toContain('LiveBlogPosting');
    const html = await htmlOf(await publish({ isMainAddress: true }));
    const printed =
      /<script type="application\/ld\+json">(.*LiveBlogPosting.*)<\/script>/.exec(html)?.[1] ?? '';
    expect(printed).not.toMatch(/[<>]/);
    expect(JSON.parse(printed)).toEqual(data);
  });

  test('speaks Spanish where WordPress does', async () => {
    // update_option() accepts only languages whose files are installed.
    await wordpress.php(
      `global $wpdb; return $wpdb->replace( $wpdb->options, array( 'option_name' => 'WPLANG', 'option_value' => 'es_ES' ) );`,
    );
    site.answer({ status: 410, headers: { 'stoppress-status': 'withdrawn' } });
    const content = await contentOf(await publish());
    await wordpress.php(`return delete_option( 'WPLANG' );`);
    expect(content).toContain('Esta cobertura en directo no está disponible.');
  });
});

describe('a hostile part', () => {
  test.for([
    ['a script', '<script>alert(1)</script>'],
    ['an unfinished script', '<script src="https://evil.example/a.js">'],
    ['a handler', '<img src="x" onerror="alert(1)"><h2 onclick="alert(1)">Head</h2>'],
    ['a handler after a slash', '<img/onerror=alert(1)/src=x>'],
    ['an address that runs', '<a href="javascript:alert(1)">a</a><a href=" jav&#x09;ascript:alert(1)">b</a>'],
    ['an address of data', '<a href="data:text/html,<script>alert(1)</script>">c</a>'],
    [
      'a frame',
      '<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object>',
    ],
    ['a form', '<form action="https://evil.example/"><input name="p"><button>Sign in</button></form>'],
    ['a drawing', '<svg onload="alert(1)"><script>alert(1)</script></svg>'],
    [
      'a template',
      '<template><script>alert(1)</script></template><noscript><img onerror=alert(1)></noscript>',
    ],
    ['a comment', '<!-- <script>alert(1)</script> --><!--><script>alert(1)</script>-->'],
    ['a style of an element', '<p style="position:fixed;inset:0">Over all</p>'],
    [
      'directives of WordPress',
      '<a data-wp-interactive="core/image" data-wp-bind--href="context.url" href="#" id="wp">d</a>',
    ],
    [
      'a base and a refresh',
      '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=/">',
    ],
  ] as const)('loses %s', async ([, hostile]) => {
    site.answer({ body: partOf(`<p>Before</p>${hostile}<p>After</p>`) });
    const content = await contentOf(await publish());
    expect(content).toMatch(/^<div [^>]+><p>Before<\/p>.*<p>After<\/p>/s);
    expect(content).not.toMatch(
      /<(?:script|iframe|object|form|input|button|svg|template|noscript|base|meta)|\son\w+\s*=|javascript:|data:|style=|data-wp|\sid=|evil\.example/i,
    );
    const addresses = [...content.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => decodeHTML(href));
    const protocols = addresses.map((href) => new URL(href, 'https://post.example/').protocol);
    expect(protocols.filter((protocol) => protocol !== 'https:')).toEqual([]);
  });

  test('cannot end the block', async () => {
    site.answer({ body: `${partOf('<p>In</p>')}</div></div></main><p>Out` });
    const content = await contentOf(await publish());
    expect(content).not.toContain('</main>');
    let open = 0;
    for (const [, end] of content.matchAll(/<(\/?)(?:div|section|p|main)\b/g)) {
      open += end ? -1 : 1;
      expect(open).toBeGreaterThanOrEqual(0);
    }
    expect(open).toBe(0);
  });

  test('runs no shortcode', async () => {
    site.answer({
      body: partOf('<p title="[audio src=a.mp3]">[audio src="https://evil.example/a.mp3"] [sic]</p>'),
    });
    const html = await htmlOf(await publish());
    expect(html).not.toMatch(/<audio|<a [^>]*evil\.example/);
    expect(html).toContain('&#91;sic&#93;');
  });

  test.for([
    '@import "https://evil.example/a.css";',
    '.stoppress p { background: url(https://evil.example/a.png) }',
    '.stoppress p { background: u\\72l(https://evil.example/a.png) }',
    '.stoppress p { background: ur/**/l(https://evil.example/a.png) }',
    '.stoppress p { background: image-set("https://evil.example/a.png" 1x) }',
    '.stoppress p { position: fixed; inset: 0 }',
    '@font-face { font-family: x; src: local("x") }',
    '.stoppress p { color: red } <b>',
    'body { display: none }',
    '.stoppress-other { display: none }',
    '.stoppress p, body { display: none }',
    '.stoppress [title="("], body, [title=")"] { display: none }',
    '.stoppress p { content: "} .stoppress b {" } body { display: none }',
    '@media print { body { display: none } }',
    '.stoppress { p { color: red } } body { display: none }',
    `.stoppress p { color: red } ${'/* x */'.repeat(10_000)}`,
    `${'.stoppress { } '.repeat(2_000)} {`,
  ])('loses the style sheet %j', async (style) => {
    site.answer({ body: partOf('<p>Text</p>', { style }) });
    const content = await contentOf(await publish());
    expect(content).toContain('<p>Text</p>');
    expect(content).not.toContain('<style>');
  });

  test('keeps a harmless style sheet', async () => {
    const style =
      '.stoppress{--own:color-mix(in srgb,currentcolor 22%,transparent)}.stoppress p[hidden],.stoppress :is(th,td){margin:0 auto}@media (prefers-color-scheme:dark){.stoppress{color:#fff}}';
    site.answer({ body: partOf('<p>Text</p>', { style }) });
    expect(await contentOf(await publish())).toContain(`<style>${style}</style>`);
  });

  test('is no part when another server answers, and nothing of it is shown', async () => {
    site.answer({ headers: { 'stoppress-status': '' }, body: '<p>Welcome to this parked domain</p>' });
    const content = await contentOf(await publish());
    expect(content).not.toContain('parked');
    expect(content).toContain(`href="${site.url}/live/flood"`);
  });
});

describe('the copy', () => {
  test('is fetched by one request for many readers, and again after ten seconds', async () => {
    const post = await publish();
    const pages = await Promise.all(Array.from({ length: 16 }, () => htmlOf(post)));
    expect(pages.filter((html) => html.includes('<h2>Flood</h2>'))).toHaveLength(16);
    expect(site.requests).toHaveLength(1);

    await setAge(2);
    await htmlOf(post);
    expect(site.requests).toHaveLength(1);

    site.answer({ body: partOf('<h2>Ebb</h2>') });
    await setAge(11);
    expect(await htmlOf(post)).toContain('<h2>Ebb</h2>');
    expect(site.requests).toHaveLength(2);
  });

  test('is confirmed by a conditional request', async () => {
    site.answer({ headers: { etag: 'W/"17"' }, body: partOf('<h2>Flood</h2>') });
    const post = await publish();
    await htmlOf(post);
    await setAge(11);
    expect(await htmlOf(post)).toContain('<h2>Flood</h2>');
    expect(site.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, 'W/"17"']);
    // It is fresh again.
    await htmlOf(post);
    expect(site.requests).toHaveLength(2);
  });

  test.for(["'damaged'", "array( 'at' => time() )"])(
    'is fetched again when WordPress has %s in its place',
    async (left) => {
      const post = await publish();
      await htmlOf(post);
      site.forget();
      await wordpress.php(`
      global $wpdb;
      foreach ( $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'stoppress\\_copy%'" ) as $name ) {
        update_option( $name, ${left}, false );
      }
      return true;`);
      expect(await htmlOf(post)).toContain('<h2>Flood</h2>');
      expect(site.requests).toHaveLength(1);
    },
  );

  test('stays with its time while the site is away, which is asked once a minute', async () => {
    const post = await publish();
    await htmlOf(post);
    await setAge(3_600);
    site.answer('down');
    site.forget();

    const pages = await Promise.all(Array.from({ length: 12 }, () => htmlOf(post)));
    for (const html of pages) expect(html).toContain('<h2>Flood</h2>');
    expect(site.requests).toHaveLength(1);
    expect(await htmlOf(post)).toMatch(
      /As of <time datetime="[\d-]+T[\d:]+\+00:00">[^<]*\d:\d\d (?:am|pm)<\/time>\. The live page cannot be reached\./,
    );

    await setAge(20);
    await htmlOf(post);
    expect(site.requests).toHaveLength(1);
    await setAge(61);
    await Promise.all(Array.from({ length: 12 }, () => htmlOf(post)));
    expect(site.requests).toHaveLength(2);

    site.answer({ body: partOf('<h2>Ebb</h2>') });
    await setAge(61);
    const html = await htmlOf(post);
    expect(html).toContain('<h2>Ebb</h2>');
    expect(html).not.toContain('As of');
  });

  test.for([500, 429, 503])('stays after the status %d', async (status) => {
    const post = await publish();
    await htmlOf(post);
    await setAge(11);
    site.answer({ status, body: 'No' });
    expect(await htmlOf(post)).toMatch(/As of .*<h2>Flood<\/h2>/s);
  });

  test.for([
    [404, 'not_found'],
    [410, 'withdrawn'],
  ] as const)('disappears after the status %d of the site: %s', async ([status, meaning]) => {
    const post = await publish();
    await htmlOf(post);
    await setAge(11);
    site.answer({ status, headers: { 'stoppress-status': meaning }, body: 'Gone' });
    const html = await htmlOf(post);
    expect(html).not.toContain('Flood');
    expect(html).toContain('This live coverage is not available.');
  });

  test.for([
    [404, ''],
    [410, ''],
    [404, 'live'],
    [410, 'not_found'],
  ] as const)(
    'stays after the status %d of another server, with the header %j',
    async ([status, meaning]) => {
      const post = await publish();
      await htmlOf(post);
      await setAge(11);
      site.answer({ status, headers: { 'stoppress-status': meaning }, body: 'No such page' });
      expect(await htmlOf(post)).toMatch(/As of .*<h2>Flood<\/h2>/s);
      await setAge(61);
      site.answer({ body: partOf('<h2>Ebb</h2>') });
      expect(await htmlOf(post)).toContain('<h2>Ebb</h2>');
    },
  );

  /** Shows two parts, of which only the first fails from then on, and asks for both. */
  async function failFirst(failure: Parameters<FakeSite['answer']>[0]) {
    const [first, second] = [await publish(), await publish({ layout: 'summary' })];
    await htmlOf(first);
    await htmlOf(second);
    await setAge(11);
    site.forget();
    const ebb = { body: partOf('<h2>Ebb</h2>') };
    const failed = typeof failure === 'function' ? failure : () => failure;
    site.answer((path) => (path.includes('layout=full') ? failed(path) : ebb));
    expect(await htmlOf(first)).toMatch(/As of .*<h2>Flood<\/h2>/s);
    const html = await htmlOf(second);
    await htmlOf(first);
    return { html, paths: site.requests.map(({ path }) => path.replace(/&.*/, '')) };
  }

  test.for([
    ['too slow', 'slow'],
    ['too large', { body: partOf('x'.repeat(1_048_576)) }],
    ['answered by another server', { headers: { 'stoppress-status': '' }, body: '<p>Sign in</p>' }],
    ['redirected to another server', { status: 302, headers: { location: 'https://login.example/' } }],
    ['refused by another server', { status: 404, headers: { 'stoppress-status': '' } }],
  ] as const)('of other parts is renewed while one is %s', async ([, failure]) => {
    const { html, paths } = await failFirst(failure);
    expect(html).toContain('<h2>Ebb</h2>');
    expect(html).not.toContain('As of');
    expect(paths).toEqual(['/live/flood/part?layout=full', '/live/flood/part?layout=summary']);
  });

  test.for([
    ['cannot be reached', 'down'],
    ['fails', { status: 500 }],
    ['is behind a proxy that fails', { status: 502, headers: { 'stoppress-status': '' } }],
    ['wants fewer requests', { status: 429 }],
  ] as const)('of all parts stays for a minute when the site %s', async ([, failure]) => {
    const { html, paths } = await failFirst(failure);
    expect(html).toMatch(/As of .*<h2>Flood<\/h2>/s);
    expect(paths).toEqual(['/live/flood/part?layout=full']);
  });

  test('follows redirects within the site only', async () => {
    site.answer({ status: 301, headers: { location: 'http://127.0.0.1:9/live/flood/part' } });
    expect(await contentOf(await publish())).toContain('cannot be shown');
    expect(site.requests).toHaveLength(1);

    await wordpress.php(FORGET_COPIES);
    site.forget();
    site.answer({ status: 301, headers: { location: '/live/flood-2/part' } });
    await contentOf(await publish());
    expect(site.requests.map(({ path }) => path).slice(0, 2)).toEqual([
      '/live/flood/part?layout=full&updates=10&heading=2',
      '/live/flood-2/part',
    ]);
  });
});

describe('the route of parts', () => {
  test('may be cached for ten seconds, and answers conditional requests', async () => {
    const address = partAddressIn(await htmlOf(await publish()));
    const first = await fetch(address);
    const { html, version } = (await first.json()) as { html: string; version: string };
    expect(html).toContain('<h2>Flood</h2>');
    expect(first.headers.get('cache-control')).toBe('public, max-age=10');
    expect(first.headers.get('etag')).toBe(`"${version}"`);
    const again = await fetch(address, { headers: { 'if-none-match': `"${version}"` } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('answers only addresses that a block has signed', async () => {
    const address = partAddressIn(await htmlOf(await publish()));
    site.forget();
    await wordpress.php(FORGET_COPIES);
    for (const other of [
      address.replace('coverage=flood', 'coverage=secret'),
      address.replace('updates=10', 'updates=11'),
      address.replace(/sign=\w+/, 'sign='),
      address.replace(/&sign=\w+/, ''),
      address.replace('sign=', 'sign[]='),
    ])
      expect((await fetch(other)).status, other).toBe(403);
    expect(site.requests).toEqual([]);
  });
});

test('writes no notice and no warning to the log of PHP', async () => {
  const lines = (await wordpress.log()).split('\n').filter((line) => line.includes('plugins/stoppress'));
  expect(lines).toEqual([]);
});

test('leaves nothing behind when it is deleted', async () => {
  const post = await publish();
  expect(await htmlOf(post)).toContain('Flood');
  const left = await wordpress.php(`
    global $wpdb;
    deactivate_plugins( 'stoppress/stoppress.php' );
    uninstall_plugin( 'stoppress/stoppress.php' );
    return $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%stoppress%'" );`);
  // WordPress itself keeps a list of plugins that have an uninstall.php while they are installed.
  expect(left).toEqual([]);
  const html = await htmlOf(post);
  expect(html).not.toMatch(/live-coverage|Flood/);
});
