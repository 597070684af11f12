import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { errorOf, openTestDatabase, type TestDatabase, VISITOR } from '../../support/database.ts';
import { imageOf } from '../../support/site-images.ts';

let database: TestDatabase;
let [owner, editor]: (Claims & { sub: string })[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  [owner, editor] = [await database.createUser('owner'), await database.createUser('editor')];
});
afterAll(() => database?.close());

const stored = async () => {
  const [row] = await database.rows<Record<string, unknown>>('select * from public.site');
  return row as Record<string, unknown> & { identity_version: number };
};
const version = async () => (await stored()).identity_version;

const save = async (content: object, seen?: number, who: Claims | undefined = owner, key = randomUUID()) =>
  database.call(who ?? VISITOR, [
    'save_site_identity',
    { idempotency_key: key, content, version: seen ?? (await version()) },
  ]);

const storeImage = (files: object | null, who: Claims | undefined = owner) =>
  database.call(who ?? VISITOR, ['save_site_image', { files }]);

const imageNames = async () =>
  (await database.rows<{ name: string }>('select name from public.site_images order by 1')).map(
    ({ name }) => name,
  );

describe('images', () => {
  const image = imageOf('<svg/>');
  const hash = 'a'.repeat(32);

  test.for<[what: string, files: object | null]>([
    ['no image', null],
    ['an empty set', {}],
    ['a name that is a path', { '../logo.svg': btoa('<svg/>') }],
    ['another format', { [`${image.name.slice(0, 32)}-4x1.html`]: btoa('<svg/>') }],
    ['a hash of another content', { [`${hash}-400x96.svg`]: btoa('<svg/>') }],
    ['an icon of another image', { ...image.files, [`${hash}-48x48.png`]: btoa('icon') }],
    ['text instead of base64', { [image.name]: '<svg/>' }],
    ['broken base64', { [image.name]: 'PHN2Zy8+A' }],
    ['a number', { [image.name]: 1234 }],
    ['more than 64 KB', imageOf('x'.repeat(66_000)).files],
    [
      'too many files',
      {
        ...image.files,
        ...Object.fromEntries([1, 2, 3].map((n) => [`${image.name.slice(0, 32)}-${n}x1.png`, btoa('icon')])),
      },
    ],
  ])('refuses %s', async ([, files]) => {
    const before = await imageNames();
    expect(await errorOf(storeImage(files))).toMatchObject({ code: 'invalid', field: 'files' });
    expect(await imageNames()).toEqual(before);
  });

  test('only owners store them', async () => {
    const { files, name } = imageOf('<svg id="of-an-editor"/>');
    expect(await errorOf(storeImage(files, editor))).toMatchObject({ code: 'forbidden' });
    expect(await errorOf(storeImage(files, VISITOR))).toMatchObject({ code: '42501' });
    expect(await imageNames()).not.toContain(name);
  });

  test('readers see those that the site shows, owners all, and unused ones are deleted after a day', async () => {
    const [shown, unused, fresh] = [
      imageOf('<svg id="1"/>'),
      imageOf('<svg id="2"/>'),
      imageOf('<svg id="3"/>'),
    ];
    for (const { files } of [shown, unused]) await storeImage(files);
    await save({ logo: shown.name });
    const seenBy = async (who: Claims) =>
      database.as(who, async (session) => {
        const { rows } = await session.query<{ name: string }>(
          'select name from public.site_images order by 1',
        );
        return rows.map(({ name }) => name);
      });
    expect(await seenBy(VISITOR)).toEqual([shown.name, shown.icon].sort());
    expect(await seenBy(editor as Claims)).toEqual([shown.name, shown.icon].sort());
    expect(await seenBy(owner as Claims)).toEqual(expect.arrayContaining([unused.name, shown.name]));

    await database.rows("update public.site_images set created_at = now() - interval '25 hours'");
    await storeImage(fresh.files);
    await database.rows('select private.delete_unused_site_images()');
    expect(await imageNames()).toEqual([shown.name, shown.icon, fresh.name, fresh.icon].sort());
    await save({ logo: null });
    expect(await seenBy(VISITOR)).toEqual([]);
  });
});

describe('the identity', () => {
  const URL = 'https://courier.example/';
  const label = 'News';

  test.for<[what: string, content: object, field: string]>([
    ['an unknown field', { tagline: 'News' }, 'tagline'],
    ['an image that was not stored', { logo: `${'b'.repeat(32)}-4x1.svg` }, 'logo'],
    ['an address instead of an image', { icon: 'https://evil.example/icon.png' }, 'icon'],
    ['a menu that is no list', { menu: { label, url: URL } }, 'menu'],
    ['eight links', { menu: Array.from({ length: 8 }, () => ({ label, url: URL })) }, 'menu'],
    ['a script as a link', { menu: [{ label, url: 'javascript:alert(1)' }] }, 'menu'],
    ['data as a link', { menu: [{ label, url: 'data:text/html,x' }] }, 'menu'],
    ['a link without a protocol', { menu: [{ label, url: '//evil.example' }] }, 'menu'],
    ['a path with a backslash', { menu: [{ label, url: '/\\evil.example' }] }, 'menu'],
    ['quotes in a link', { menu: [{ label, url: 'https://a.example/"onclick="x' }] }, 'menu'],
    ['a password in a link', { menu: [{ label, url: 'https://a:b@courier.example/' }] }, 'menu'],
    ['a long link', { menu: [{ label, url: `${URL}${'x'.repeat(300)}` }] }, 'menu'],
    ['a link without a label', { menu: [{ label: '', url: URL }] }, 'menu'],
    ['a label of two lines', { menu: [{ label: 'a\nb', url: URL }] }, 'menu'],
    ['a long label', { menu: [{ label: 'x'.repeat(41), url: URL }] }, 'menu'],
    ['a link with more fields', { menu: [{ label, url: URL, onclick: 'x' }] }, 'menu'],
    ['a newspaper without an address', { newspaper_link: { label } }, 'newspaper_link'],
    ['a support link that is a text', { support_link: URL }, 'support_link'],
    ['a sponsor without a name', { sponsor: { url: URL } }, 'sponsor'],
    ['a sponsor with a script', { sponsor: { label, url: 'javascript:x' } }, 'sponsor'],
    ['an unknown font', { text_font: 'comic' }, 'text_font'],
    ['no name', { name: '' }, 'name'],
    ['a faint colour', { accent: '#fffffe' }, 'accent'],
  ])('refuses %s', async ([, content, field]) => {
    const before = await stored();
    expect(await errorOf(save(content))).toMatchObject({ code: 'invalid', field });
    expect(await stored()).toEqual(before);
  });

  test('only owners save it', async () => {
    const before = await stored();
    expect(await errorOf(save({ menu: [] }, undefined, editor))).toMatchObject({ code: 'forbidden' });
    expect(await errorOf(save({ menu: [] }, undefined, VISITOR))).toMatchObject({ code: '42501' });
    expect(await stored()).toEqual(before);
  });

  test('a save from an older version is refused, also after a change of the name elsewhere', async () => {
    const seen = await version();
    await database.call(owner as Claims, ['save_site', { content: { name: `The Post ${seen}` } }]);
    const before = await stored();
    expect(await errorOf(save({ menu: [] }, seen))).toMatchObject({ code: 'conflict' });
    expect(await stored()).toEqual(before);
    // Settings that do not belong to the identity leave the version as it is.
    await database.call(owner as Claims, ['save_site', { content: { quiet_hours: 5 } }]);
    expect(await version()).toBe(before.identity_version);
  });

  test('a save changes the fields that were sent, is logged, and repeated with its key has no effect', async () => {
    const menu = [
      { label, url: URL },
      { label: 'Sport', url: '/topics/sport' },
    ];
    await save({ menu, sponsor: { label: 'Harbour Bakery' } });
    const seen = await version();
    const key = randomUUID();
    const content = {
      headline_font: 'sans',
      newspaper_link: { label: 'Courier', url: URL },
      name: 'The Courier',
    };
    for (let n = 0; n < 2; n++) expect(await save(content, seen, owner, key)).toEqual({ version: seen + 1 });
    expect(await stored()).toMatchObject({
      ...content,
      menu,
      sponsor: { label: 'Harbour Bakery' },
      identity_version: seen + 1,
    });
    const [entry] = await database.rows<{ detail: unknown }>(
      "select detail from public.audit_log where action = 'save_site_identity' order by id desc limit 1",
    );
    expect(entry).toEqual({ detail: { fields: ['headline_font', 'name', 'newspaper_link'] } });
  });

  test('a change announces all pages once', async () => {
    const messages = await database.broadcastsOf(() =>
      save({ support_link: { label: 'Support us', url: URL } }),
    );
    expect(messages).toEqual([
      expect.objectContaining({ topic: 'site', payload: expect.objectContaining({ tags: ['site'] }) }),
    ]);
  });
});
