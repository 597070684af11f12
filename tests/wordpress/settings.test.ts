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
  await setSite(site.url);
  site.answer({ body: partOf('<h2>Flood</h2>') });
});

const setSite = (url: string) => wordpress.php(`return update_option( 'stoppress_site', ${phpText(url)} );`);

describe('the route of coverages', () => {
  /** A request as the editor makes it: with the session's cookies and its nonce. */
  async function listAs(role: string): Promise<Response> {
    const headers = await wordpress.signIn(role);
    const nonce = await (
      await fetch(`${wordpress.url}/wp-admin/admin-ajax.php?action=rest-nonce`, { headers })
    ).text();
    return fetch(`${wordpress.url}/?rest_route=/stoppress/v1/coverages`, {
      headers: { ...headers, 'x-wp-nonce': nonce },
    });
  }

  test('lists the coverages only for people who can edit posts', async () => {
    expect(await (await listAs('contributor')).json()).toEqual([
      { slug: 'flood', title: 'The flood', status: 'live' },
    ]);
    expect((await listAs('subscriber')).status).toBe(403);
    expect((await fetch(`${wordpress.url}/?rest_route=/stoppress/v1/coverages`)).status).toBe(401);
  });

  test('leaves out what has another form', async () => {
    const coverages = [{ slug: '../x', title: 'x' }, 7, { slug: 'ebb', title: '<b>The</b> ebb' }];
    site.list(JSON.stringify({ coverages }));
    expect(await (await listAs('editor')).json()).toEqual([{ slug: 'ebb', title: 'The ebb', status: '' }]);
    site.list('<!doctype html>');
    const refused = await listAs('editor');
    expect(refused.status).toBe(502);
    expect(await refused.json()).toMatchObject({ code: 'stoppress_other_site' });
    site.list(JSON.stringify({ coverages: [] }));
  });
});

describe('the settings', () => {
  const PAGE = '/wp-admin/options-general.php?page=stoppress';
  const saved = () => wordpress.php<string>(`return get_option( 'stoppress_site' );`);

  const pageFor = async (headers: Record<string, string>) => {
    const response = await fetch(wordpress.url + PAGE, { headers });
    return { status: response.status, html: await response.text() };
  };

  /** Sends the form of the page, and returns the page that follows. */
  async function save(headers: Record<string, string>, address: string, fields: Record<string, string> = {}) {
    const { html } = await pageFor(headers);
    const [form = ''] = /<form[^>]*options\.php[\s\S]*?<\/form>/.exec(html) ?? [];
    const hidden = [
      ...form.matchAll(/<input type=["']hidden["'][^>]*name=["'](\w+)["'][^>]*value=["']([^"']*)/g),
    ];
    const sent = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, decodeHTML(value)]));
    const response = await fetch(`${wordpress.url}/wp-admin/options.php`, {
      method: 'POST',
      headers,
      redirect: 'manual',
      body: new URLSearchParams({ ...sent, stoppress_site: address, ...fields }),
    });
    const next = response.headers.get('location');
    return {
      status: response.status,
      html: next ? await htmlAt(new URL(next, wordpress.url).href, headers) : '',
    };
  }
  const htmlAt = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { headers })).text();

  test('accept an address, and say at once that it works', async () => {
    const owner = await wordpress.signIn('administrator');
    site.list(JSON.stringify({ coverages: [{ slug: 'flood', title: 'The flood' }] }));
    await setSite('');
    const { html } = await save(owner, ` ${site.url}/ `);
    expect(await saved()).toBe(site.url);
    expect(html).toContain('Connected. Coverages: 1.');
  });

  test.for([
    ['http://live.example.com', 'must begin with https://'],
    ['ftp://live.example.com', 'must begin with https://'],
    ['javascript://live.example.com/%0aalert(1)', 'must begin with https://'],
    ['https://live.example.com/live/flood', 'without a path'],
    ['https://user:secret@live.example.com', 'without a path'],
    ['https://live.example.com/?a=b', 'without a path'],
    ['https://', 'Enter an address such as'],
    ['https://live example.com', 'Enter an address such as'],
    ['"><script>alert(1)</script>', 'Enter an address such as'],
  ] as const)('refuse %s and keep the last address', async ([address, sentence]) => {
    const owner = await wordpress.signIn('administrator');
    const { html } = await save(owner, address);
    expect(html).toContain(sentence);
    expect(html).not.toContain('<script>alert(1)');
    expect(await saved()).toBe(site.url);
  });

  test('say what to do when the connection does not work', async () => {
    const owner = await wordpress.signIn('administrator');
    site.list('<!doctype html>');
    expect((await pageFor(owner)).html).toContain('it is no Stoppress site');
    site.list(JSON.stringify({ coverages: [] }));
    site.answer('down');
    expect((await pageFor(owner)).html).toContain('The site does not answer.');
    await setSite('https://live.example.com');
    expect((await pageFor(owner)).html).toContain('Add live.example.com to WP_ACCESSIBLE_HOSTS');
  });

  test.for([
    ['cURL error 6: Could not resolve host: live.example.com', 'stoppress_dns'],
    ['cURL error 60: SSL certificate problem: certificate has expired', 'stoppress_certificate'],
    [
      'cURL error 35: OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number',
      'stoppress_certificate',
    ],
    ['cURL error 7: Failed to connect to live.example.com port 443', 'stoppress_unreachable'],
    ['cURL error 28: Operation timed out after 5001 milliseconds', 'stoppress_unreachable'],
  ] as const)('explain %j', async ([detail, code]) => {
    const explain = `return Stoppress\\explain_failure( new WP_Error( 'http_request_failed', ${phpText(detail)} ) )->get_error_code();`;
    expect(await wordpress.php(explain)).toBe(code);
  });

  test('are for administrators only, and need the nonce', async () => {
    const editor = await wordpress.signIn('editor');
    expect((await pageFor(editor)).status).toBe(403);
    const owner = await wordpress.signIn('administrator');
    expect((await save(owner, 'https://other.example', { _wpnonce: '0123456789' })).status).toBe(403);
    expect(await saved()).toBe(site.url);
  });
});

test('writes no notice and no warning to the log of PHP', async () => {
  expect(await wordpress.log()).not.toContain('plugins/stoppress');
});
