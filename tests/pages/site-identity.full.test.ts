import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect } from 'vitest';
import { siteIdentity as english, settings } from '../../src/lib/i18n/en/settings.ts';
import { siteIdentity as spanish } from '../../src/lib/i18n/es/settings.ts';
import { brotliText } from '../../src/lib/publishing/brotli.server.ts';
import { type CookieJar, hiddenField, redirectOf, signInWithCookies } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { imageOf } from '../support/site-images.ts';
import { test as base } from '../support/test.ts';

// The tests change settings of the whole site.
const test = base.extend('ownSite', true);

const PATH = '/desk/site/masthead';
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 40"><rect width="200" height="40" fill="#0b5fa5"/></svg>';
const HOSTILE = LOGO.replace('<rect', '<script>alert(1)</script><rect');

/** The fields of the form. Files are SVG unless they are bytes. */
function formOf(fields: Record<string, string>, files: Record<string, string | Buffer> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const [name, content] of Object.entries(files))
    form.set(
      `${name}_file`,
      new File([new Uint8Array(Buffer.from(content))], 'logo.svg', { type: 'image/svg+xml' }),
    );
  return form;
}

const stored = async ({ service }: TestSite) =>
  (
    await service
      .from('site')
      .select('identity_version, logo, logo_dark, icon, menu, sponsor, headline_font')
      .single()
      .throwOnError()
  ).data;
const versionOf = async (site: TestSite) => `${(await stored(site)).identity_version}`;
const imageCount = async ({ service }: TestSite) =>
  (await service.from('site_images').select('*', { count: 'exact', head: true })).count;

/** Bytes of a page as readers get its first copy: head and compressed body. */
async function weightOf(page: Response): Promise<number> {
  const head = [...page.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return head + (await brotliText(await page.text(), 5)).length;
}

/** Saves an identity as the form does. */
async function saveForm(
  site: TestSite,
  jar: CookieJar,
  fields: Record<string, string>,
  files = {},
): Promise<void> {
  const answer = await jar.post(PATH, formOf({ version: await versionOf(site), ...fields }, files));
  expect(redirectOf(answer)).toEqual([303, `${PATH}?done`]);
}

describe('refuses', () => {
  test('people who are no owners, and keeps the text of a session that ended', async ({ site, people }) => {
    const before = await stored(site);
    const fields = { version: await versionOf(site), menu_1_label: 'Sport', menu_1_url: '/sport' };
    const editor = await signInWithCookies(site.url, people.editor);
    expect((await editor.post(PATH, formOf(fields, { logo: LOGO }))).status).toBe(403);
    const signedOut = await fetch(site.url + PATH, {
      method: 'POST',
      body: formOf(fields),
      headers: { origin: site.url },
    });
    expect([signedOut.status, await signedOut.text()]).toEqual([
      401,
      expect.stringContaining('value="Sport"'),
    ]);
    expect(await stored(site)).toEqual(before);
    expect(await imageCount(site)).toBe(0);
  });

  test('a drawing with a script, in both languages, and keeps the text', async ({ site, people }) => {
    const owner = await signInWithCookies(site.url, people.owner);
    const before = await stored(site);
    for (const [language, messages] of [
      ['en', english],
      ['es', spanish],
    ] as const) {
      await call(people.owner.client, 'save_site', { content: { language } });
      await expect
        .poll(async () => (await (await owner.get(PATH)).text()).includes(messages.help))
        .toBe(true);
      const fields = { version: await versionOf(site), menu_1_label: 'Sport', menu_1_url: '/sport' };
      const answer = await owner.post(PATH, formOf(fields, { logo: HOSTILE }));
      const page = await answer.text();
      expect(answer.status).toBe(422);
      expect(page).toContain(messages.imageProblems.svg_active('script'));
      expect(page).toContain('value="Sport"');
    }
    await call(people.owner.client, 'save_site', { content: { language: 'en' } });
    await expect.poll(async () => (await (await owner.get(PATH)).text()).includes(english.help)).toBe(true);
    expect(await stored(site)).toMatchObject({ logo: before.logo, menu: before.menu });
    expect(await imageCount(site)).toBe(0);
  });

  test.for<[what: string, content: string | Buffer, reason: keyof typeof english.imageProblems]>([
    ['a file of another kind', 'GIF89a', 'image_format'],
    [
      'a PNG that is none',
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(LOGO)]),
      'png_unreadable',
    ],
    ['a file that is too large', Buffer.alloc(301 * 1024, 'x'), 'svg_too_large'],
  ])('%s', async ([, content, reason], { site, people }) => {
    const owner = await signInWithCookies(site.url, people.owner);
    const answer = await owner.post(PATH, formOf({ version: await versionOf(site) }, { logo: content }));
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining(english.imageProblems[reason]('')),
    ]);
  });

  test('a link that runs a script, at the row where it is', async ({ site, people }) => {
    const owner = await signInWithCookies(site.url, people.owner);
    const fields = {
      menu_2_label: 'News',
      menu_2_url: '/news',
      menu_5_label: 'Sport',
      menu_5_url: 'javascript:alert(1)',
    };
    const answer = await owner.post(PATH, formOf({ version: await versionOf(site), ...fields }));
    const page = await answer.text();
    expect(answer.status).toBe(422);
    expect(page).toMatch(
      /name="menu_5_url"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*name="menu_5_url"|id="menu_5_url"[^>]*aria-invalid="true"/,
    );
    expect(page).toContain('value="News"');
  });

  test('a form that another owner overtook, and shows what is stored now', async ({ site, people }) => {
    const owner = await signInWithCookies(site.url, people.owner);
    const seen = Number(await versionOf(site));
    const theirs = { sponsor: { label: `Bakery ${randomUUID().slice(0, 8)}` } };
    await call(people.owner.client, 'save_site_identity', { content: theirs, version: seen });
    const answer = await owner.post(PATH, formOf({ version: `${seen}`, sponsor_label: 'Mine' }));
    const page = await answer.text();
    expect(answer.status).toBe(409);
    expect(page).toContain(settings.meanwhile(theirs.sponsor.label));
    expect(await stored(site)).toMatchObject(theirs);
    await saveForm(site, owner, { version: hiddenField(page, 'version'), sponsor_label: 'Mine' });
    expect(await stored(site)).toMatchObject({ sponsor: { label: 'Mine' } });
  });

  test('an upload by a script of another site, or of a person who is no owner', async ({ site, people }) => {
    const [owner, editor] = [
      await signInWithCookies(site.url, people.owner),
      await signInWithCookies(site.url, people.editor),
    ];
    const post = (jar: CookieJar, body: string, origin = site.url) =>
      fetch(`${site.url}/api/site-image`, {
        method: 'POST',
        body,
        headers: {
          origin,
          'content-type': 'image/svg+xml',
          cookie: [...jar.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
      });
    expect((await post(owner, LOGO, 'https://evil.example')).status).toBe(403);
    expect((await post(editor, LOGO)).status).toBe(403);
    // It is not even read.
    expect((await post(editor, HOSTILE)).status).toBe(403);
    const refused = await post(owner, HOSTILE);
    expect([refused.status, await refused.json()]).toEqual([
      422,
      { error: expect.objectContaining({ code: 'invalid', reason: 'svg_active', field: 'image' }) },
    ]);
    const accepted = await post(owner, LOGO);
    expect([accepted.status, await accepted.json()]).toEqual([
      200,
      { name: expect.stringMatching(/^[0-9a-f]{32}-480x96\.svg$/) },
    ]);
  });

  test('to serve what was stored without the cleaning', async ({ site, people }) => {
    const { name, files } = imageOf(HOSTILE);
    await call(people.owner.client, 'save_site_image', { files });
    await call(people.owner.client, 'save_site_identity', {
      content: { logo: name },
      version: Number(await versionOf(site)),
    });
    expect((await fetch(`${site.url}/site-images/${name}`)).status).toBe(404);
    await call(people.owner.client, 'save_site_identity', {
      content: { logo: null },
      version: Number(await versionOf(site)),
    });
  });
});

test('takes a transparent image in the size of an icon', async ({ site, people }) => {
  const owner = await signInWithCookies(site.url, people.owner);
  const background = { r: 11, g: 95, b: 165, alpha: 0.5 };
  const icon = await sharp({ create: { width: 48, height: 48, channels: 4, background } })
    .png()
    .toBuffer();
  await saveForm(site, owner, {}, { icon });
  expect(await stored(site)).toMatchObject({ icon: expect.stringMatching(/^[0-9a-f]{32}-48x48\.png$/) });
});

test('a preview shows the logo, saves nothing, and keeps the image for the next press', async ({
  site,
  people,
}) => {
  const owner = await signInWithCookies(site.url, people.owner);
  const before = await stored(site);
  const png = await sharp(Buffer.from(LOGO)).resize({ width: 1400 }).png().toBuffer();
  const answer = await owner.post(
    PATH,
    formOf({ version: await versionOf(site), preview: 'on', headline_font: 'sans' }, { logo: png }),
  );
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain(english.previewTitle);
  expect(page.match(/<img src="data:image\/png;base64,/g)?.length).toBe(4);
  const name = hiddenField(page, 'logo');
  expect(name).toMatch(/^[0-9a-f]{32}-720x144\.png$/);
  expect(await stored(site)).toEqual(before);
  expect((await fetch(`${site.url}/site-images/${name}`)).status).toBe(404);

  await saveForm(site, owner, { logo: name });
  await expect.poll(async () => (await fetch(`${site.url}/site-images/${name}`)).status).toBe(200);
  await saveForm(site, owner, { logo: name, remove_logo: 'on' });
  expect((await stored(site)).logo).toBeNull();
});

test('pages show the identity within 1 KB, and images are safe to open', async ({
  site,
  people,
  newsroom,
}) => {
  const live = `${site.url}/live/${newsroom.coverage.slug}`;
  const owner = await signInWithCookies(site.url, people.owner);
  await saveForm(site, owner, {});
  const before = await weightOf(await fetch(live));
  const menu = ['News', 'Sport', 'Culture', 'Opinion', 'Weather', 'Obituaries', 'Events'].flatMap(
    (label, n) => [
      [`menu_${n + 1}_label`, label],
      [`menu_${n + 1}_url`, `https://courier.example/${label.toLowerCase()}`],
    ],
  );
  const dark = LOGO.replace('#0b5fa5', '#7ab8ff');
  await saveForm(
    site,
    owner,
    {
      ...Object.fromEntries(menu),
      newspaper_link_label: 'Ostley Courier',
      newspaper_link_url: 'https://courier.example/',
      support_link_label: 'Support us',
      support_link_url: 'https://courier.example/support',
      sponsor_label: 'Harbour Bakery',
      sponsor_url: 'https://bakery.example/',
      headline_font: 'sans',
      text_font: 'humanist',
    },
    { logo: LOGO, logo_dark: dark },
  );
  await expect.poll(async () => (await fetch(live)).text()).toContain('Obituaries');
  const after = await weightOf(await fetch(live));
  expect(after - before).toBeLessThanOrEqual(1024);
  const page = await (await fetch(live)).text();
  const { logo, logo_dark } = await stored(site);
  const { name } = (await site.service.from('site').select('name').single().throwOnError()).data;
  expect(page).toContain(`<img src="/site-images/${logo}" alt="${name}" width="480" height="96">`);
  expect(page).toContain(`<source media="(prefers-color-scheme:dark)" srcset="/site-images/${logo_dark}"`);
  expect(page).toMatch(
    /<a href="https:\/\/courier.example\/">Ostley Courier<\/a>\s*<a href="https:\/\/courier.example\/news">News<\/a>/,
  );
  expect(page).toContain(english.sponsoredBy);
  expect(page).toContain('<a href="https://bakery.example/" rel="sponsored noopener">Harbour Bakery</a>');

  const icon = /<link rel="icon" href="([^"]+)"/.exec(page)?.[1];
  const manifest = (await (await fetch(`${site.url}/manifest.webmanifest`)).json()) as {
    icons: { src: string; sizes: string }[];
  };
  expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['48x48', '192x192', '512x512']);
  for (const { src, sizes } of [{ src: icon, sizes: '48x48' }, ...manifest.icons]) {
    const picture = await fetch(site.url + src);
    const { format, width, height } = await sharp(await picture.arrayBuffer()).metadata();
    expect([picture.status, format, `${width}x${height}`]).toEqual([200, 'png', sizes]);
  }
  const { status, headers } = await fetch(`${site.url}/site-images/${logo}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  expect(headers.get('cache-control')).toContain('immutable');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
