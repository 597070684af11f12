import { decodeHTML } from 'entities';
import { expect } from 'vitest';
import { wordpress as messages } from '../../src/lib/i18n/en/integrations.ts';
import { cookieJar, hiddenField, RELOAD, redirectOf, signInWithCookies } from '../support/http-client.ts';
import { test as base } from '../support/test.ts';
import { phpText, startWordPress } from '../support/wordpress/wordpress.ts';

/** A PNG of 120 × 40 pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAHgAAAAoCAYAAAA16j4lAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAA2klEQVR4nO2VwREDMRDCrhzKoJ7t/59UkQEueujvQZb9yPeBe+0GT/oAcAjmEhwFcwmOJ1p/+CXwBzsvAcEFQ2kUCnZeAoILhtIoFOy8BAQXDKVRKNh5CQguGEqjULDzEhBcMJRGoWDnJSC4YCiNQsHOS0BwwVAahYKdl4DggqE0CgU7LwHBBUNpFAp2XgKCC4bSKBTsvAQEFwylUSjYeQkILhhKo1Cw8xIQXDCURqFg5yUguGAojULBzktAcMFQGoWCnZeA4IKhNAoFOy8BwQVDaRQKdl7CL/kCacQQvz8SzCMAAAAASUVORK5CYII=';

/** Adds a PNG of one colour to the media library, without PHP's own image functions. */
const LOGO = `( function () {
  $upload = wp_upload_bits( 'logo.png', null, base64_decode( '${PNG}' ) );
  $id = wp_insert_attachment( array( 'post_mime_type' => 'image/png', 'post_title' => 'Logo' ), $upload['file'] );
  return $id;
} )()`;

type WordPressPerson = { id: number; email: string };

const test = base
  .extend('ownSite', true)
  .extend('wordpress', { scope: 'file' }, async ({ site }, { onCleanup }) => {
    const wordpress = await startWordPress('6.5');
    onCleanup(wordpress.stop);
    await wordpress.php(`
      update_option( 'stoppress_site', ${phpText(site.url)} );
      set_theme_mod( 'accent_color', '#FFAA00' );
      set_theme_mod( 'custom_logo', ${LOGO} );
      $menu = wp_create_nav_menu( 'Main' );
      wp_update_nav_menu_item( $menu, 0, array( 'menu-item-title' => 'Sport &amp; more', 'menu-item-url' => 'https://courier.example/sport', 'menu-item-status' => 'publish' ) );
      wp_update_nav_menu_item( $menu, 0, array( 'menu-item-title' => 'Evil', 'menu-item-url' => 'javascript:alert(1)', 'menu-item-status' => 'publish' ) );
      wp_update_nav_menu_item( $menu, 0, array( 'menu-item-title' => 'Submenu', 'menu-item-url' => '#', 'menu-item-status' => 'publish' ) );
      register_nav_menus( array( 'primary' => 'Main' ) );
      set_theme_mod( 'nav_menu_locations', array( 'primary' => $menu ) );
      return true;`);
    return wordpress;
  })
  .extend('person', { scope: 'file' }, ({ wordpress }) => {
    return (role: string, name: string): Promise<WordPressPerson> =>
      wordpress.php(`
        $login = uniqid( 'person' );
        $id = wp_insert_user( array( 'user_login' => $login, 'user_pass' => $login, 'user_email' => "$login@example.com", 'display_name' => ${phpText(name)}, 'role' => ${phpText(role)} ) );
        return array( 'id' => $id, 'email' => "$login@example.com" );`);
  })
  .extend('owner', { scope: 'file' }, async ({ site, people }) => {
    const jar = await signInWithCookies(site.url, people.owner);
    const post = async (fields: Record<string, string>) =>
      (await jar.post('/desk/site/wordpress', fields)).text();
    return {
      page: async () => (await jar.get('/desk/site/wordpress')).text(),
      post,
      makeCode: async () =>
        /<textarea[^>]*id="?code"?[^>]*>([\w-]{43})</.exec(await post({ act: 'code' }))?.[1] ?? '',
    };
  })
  .extend('send', { scope: 'file' }, ({ wordpress }) => {
    /** Sends the form of the settings page. Returns what the page says then. */
    return async (role: string, code: string, users: number[], nonce?: string): Promise<string> => {
      const page = `${wordpress.url}/wp-admin/options-general.php?page=stoppress`;
      const headers = await wordpress.signIn(role);
      const form = await (await fetch(page, { headers })).text();
      const section = form.slice(form.indexOf('stoppress_transfer'));
      const [, own = ''] = /name="_wpnonce" value="(\w+)"/.exec(section) ?? [];
      const body = new URLSearchParams({ action: 'stoppress_transfer', _wpnonce: nonce ?? own, code });
      for (const id of users) body.append('users[]', String(id));
      const url = `${wordpress.url}/wp-admin/admin-post.php`;
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
      if (answer.status !== 302) return `status ${answer.status}`;
      const result = await (await fetch(page, { headers })).text();
      return decodeHTML(/id="stoppress-transfer"><p>([^<]*)</.exec(result)?.[1] ?? '');
    };
  });

test('brings chosen people, name, colour and menu over, once an owner has accepted them', async ({
  site,
  people,
  newsroom,
  wordpress,
  person,
  owner,
  send,
}) => {
  const editor = await person('editor', 'Ada <b>Quay</b>');
  const author = await person('author', 'Ben Weir');
  const contributor = await person('contributor', 'Cleo Lock');
  const subscriber = await person('subscriber', 'Dan Reader');
  const unchosen = await person('author', 'Eve Away');
  const code = await owner.makeCode();
  expect(code).not.toBe('');

  const chosen = [editor, author, contributor, subscriber].map(({ id }) => id);
  expect(await send('administrator', code, chosen)).toContain('Sent. People: 3.');

  const invites = async () =>
    ((await people.owner.client.from('desk_invites').select('email, name, role')).data ?? []) as {
      email: string;
    }[];
  const identity = async () =>
    (await site.service.from('site').select('name, accent, accent_dark, menu, logo').single()).data;
  const before = await identity();
  expect(await invites()).toEqual([]);
  const page = decodeHTML(await owner.page());
  for (const text of ['Ben Weir', author.email, 'The Ostley Courier', 'Sport & more', messages.transfer.logo])
    expect(page).toContain(text);
  expect(page).not.toContain(unchosen.email);
  expect(await identity()).toEqual(before);

  // The page was opened before WordPress sent.
  const early = await owner.post({ act: 'accept', [`person-${editor.email}`]: 'on', received_at: '' });
  expect(early).toContain(messages.transfer.changed);
  expect(await invites()).toEqual([]);

  const accepted = await owner.post({
    act: 'accept',
    received_at: hiddenField(page, 'received_at'),
    name: 'on',
    accent: 'on',
    menu: 'on',
    logo: 'on',
    coverage: newsroom.coverage.id,
    [`person-${editor.email}`]: 'on',
    [`person-${contributor.email}`]: 'on',
    'person-mallory@example.com': 'on',
  });
  expect(accepted).toContain(messages.done.accepted);
  expect(await invites()).toHaveLength(2);
  expect(await invites()).toEqual(
    expect.arrayContaining([
      { email: editor.email, name: 'Ada Quay', role: 'editor' },
      { email: contributor.email, name: 'Cleo Lock', role: 'contributor' },
    ]),
  );
  // Without a mail server the links are shown, once.
  expect(accepted.match(/\/invites\/[\w-]{43}/g)).toHaveLength(2);
  expect(await identity()).toMatchObject({
    name: 'The Ostley Courier',
    accent_dark: '#ffaa00',
    menu: [{ label: 'Sport & more', url: 'https://courier.example/sport' }],
    logo: expect.stringMatching(/^[0-9a-f]{32}-120x40\.png$/),
  });
  expect(await owner.page()).not.toContain(author.email);
  expect(await send('administrator', code, chosen)).toContain('This code is wrong, used');
  expect(await wordpress.log()).not.toContain('plugins/stoppress');
});

test('applies nothing of a transfer that an owner declines', async ({ people, person, owner, send }) => {
  const author = await person('author', 'Finn Ford');
  const before = (await people.owner.client.from('desk_invites').select('id')).data;
  expect(await send('administrator', await owner.makeCode(), [author.id])).toContain('Sent. People: 1.');
  expect(await owner.page()).toContain(author.email);
  expect(await owner.post({ act: 'decline' })).toContain(messages.done.declined);
  expect(await owner.page()).not.toContain(author.email);
  expect((await people.owner.client.from('desk_invites').select('id')).data).toEqual(before);
});

test('refuses other people of WordPress, forged forms, and wrong codes', async ({ person, owner, send }) => {
  const author = await person('author', 'Gus Weir');
  const code = await owner.makeCode();
  for (const role of ['editor', 'author', 'subscriber'])
    expect(await send(role, code, [author.id])).toBe('status 403');
  expect(await send('administrator', code, [author.id], 'forged')).toBe('status 403');
  expect(await send('administrator', 'x'.repeat(43), [author.id])).toContain('This code is wrong, used');
  expect(await send('administrator', '<b>', [author.id])).toContain('Enter the code');
  expect(await owner.page()).not.toContain(author.email);
});

test('says when the site does not answer', async ({ site, person, wordpress, send }) => {
  const author = await person('author', 'Hal Weir');
  await wordpress.php(`return update_option( 'stoppress_site', 'http://127.0.0.1:1' );`);
  const said = await send('administrator', 'x'.repeat(43), [author.id]);
  await wordpress.php(`return update_option( 'stoppress_site', ${phpText(site.url)} );`);
  expect(said).toContain('The site does not answer.');
});

test('shows the page to owners only, and takes no transfer without a code', async ({ site, people }) => {
  const jar = await signInWithCookies(site.url, people.editor);
  expect((await jar.post('/desk/site/wordpress', { act: 'code' })).status).toBe(403);
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${site.url}/api/wordpress-transfer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  expect((await send({ code: 'x', content: { people: [] } })).status).toBe(410);
  for (const body of [{}, null, [], { code: 1, content: {} }, { code: 'x', content: [] }])
    expect((await send(body)).status, JSON.stringify(body)).toBe(422);
  const answer = await cookieJar(site.url).get('/desk/site/wordpress', RELOAD);
  expect(redirectOf(answer)).toEqual([303, '/sign-in?next=%2Fdesk%2Fsite%2Fwordpress']);
});
