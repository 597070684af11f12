import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { invites, people as words } from '../../src/lib/i18n/en/people.ts';
import {
  type CookieJar,
  canSignIn,
  cookieJar,
  currentPerson,
  findForm,
  redirectOf,
  signInWithCookies,
} from '../support/http-client.ts';
import type { TestSite } from '../support/site.ts';
import { createReader, PASSWORD, roleOf, test } from './people-context.ts';

/** The sign-in link on a page, as the owner copies it, without the origin. */
function linkOn(page: string, site: TestSite): string {
  const [, link = ''] = /<textarea[^>]*name="link"[^>]*>([^<]*)/.exec(page) ?? [];
  expect(link).toMatch(/^http:.*\/auth\/confirm\?token_hash=/);
  return link.replaceAll('&amp;', '&').replaceAll('&#38;', '&').slice(site.url.length);
}

/** Opens a link as its recipient does: presses its button and chooses a password. */
async function follow(jar: CookieJar, link: string, press: string, password: string): Promise<Response> {
  const { action, fields } = findForm(await (await jar.get(link)).text(), press);
  const pressed = await jar.post(action, fields);
  expect(pressed.headers.get('location')).toBe('/reset-password');
  return jar.post('/reset-password', { password });
}

/** The invitation link on a page, as the owner copies it, without the origin. */
function inviteOn(page: string, site: TestSite): string {
  const [, link = ''] = /<textarea[^>]*name="link"[^>]*>([^<]*)/.exec(page) ?? [];
  expect(link).toMatch(/^http:.*\/invites\/[\w-]{43}$/);
  return link.slice(site.url.length);
}

describe('newsroom without a mail server', () => {
  const newInvitation = () => ({ name: 'Nell Ashe', email: `${randomUUID()}@example.com`, role: 'reporter' });

  /** Opens an invitation and submits its form with a password. */
  async function join(jar: CookieJar, link: string, password: string) {
    const { action, fields } = findForm(await (await jar.get(link)).text(), invites.opened.join);
    return jar.post(action || link, { ...fields, password });
  }
  const invitesOf = async (owner: CookieJar) => (await owner.get('/desk/people/invites')).text();

  test('invites by a link that works once and gives the role', async ({ site, owner }) => {
    const invitation = newInvitation();
    const form = await (await owner.get('/desk/people/invite')).text();
    expect([form.includes('value="link"'), form.includes('value="mail"')]).toEqual([true, false]);
    const answer = await owner.post('/desk/people/invite', { ...invitation, by: 'mail' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const page = await answer.text();
    expect(page).toContain(invites.link.notMailed.off);
    const link = inviteOn(page, site);
    expect(await invitesOf(owner)).not.toContain(link);

    const jar = cookieJar(site.url);
    const opened = await jar.get(link);
    expect([opened.status, opened.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(opened.headers.get('referrer-policy')).toBe('strict-origin');
    expect(await opened.text()).toContain('content="noindex"');
    const refused = await join(cookieJar(site.url), link, 'short');
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('id="password-problem"');
    expect(redirectOf(await join(jar, link, 'a password of my own'))).toEqual([303, '/desk']);
    expect(await currentPerson(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'reporter' });
    expect(await canSignIn(site.url, { ...invitation, password: 'a password of my own' })).toBe(true);
    const used = await cookieJar(site.url).get(link);
    expect(used.status).toBe(410);
    expect(await used.text()).toContain(invites.opened.gone.accepted);
    expect((await cookieJar(site.url).post(link, { act: 'join' })).status).toBe(410);
    expect((await jar.get(`/invites/${'x'.repeat(43)}`)).status).toBe(404);

    const secret = link.slice('/invites/'.length);
    expect(site.output() + site.errors()).not.toContain(secret);
  });

  test('lets the invited account holder accept after signing in, and refuses other people', async ({
    site,
    owner,
    people,
    newsroom,
  }) => {
    const person = await createReader(site);
    const { id } = newsroom.coverage;
    const fields = {
      name: 'Ben',
      email: person.email,
      role: 'contributor',
      coverage: id,
      days: '3',
      by: 'link',
    };
    const link = inviteOn(await (await owner.post('/desk/people/invite', fields)).text(), site);
    const signedOut = await (await cookieJar(site.url).get(link)).text();
    expect(signedOut).toContain(invites.opened.known);
    expect(signedOut).toContain(`/sign-in?next=${encodeURIComponent(link)}`);
    const stranger = await signInWithCookies(site.url, people.reporter);
    expect(await (await stranger.get(link)).text()).not.toContain(`value="accept"`);
    expect((await stranger.post(link, { act: 'accept' })).status).toBe(403);

    const jar = await signInWithCookies(site.url, person);
    const { fields: sent } = findForm(await (await jar.get(link)).text(), invites.opened.accept);
    expect(redirectOf(await jar.post(link, sent))).toEqual([303, `/desk/${newsroom.coverage.slug}`]);
    expect(await roleOf(site, person.id)).toEqual({ role: 'contributor', active: true });
    expect((await jar.get(`/desk/${newsroom.coverage.slug}`)).status).toBe(200);
  });

  test('replaces the link of an invitation that is sent again, and ends a revoked one', async ({
    site,
    owner,
  }) => {
    const invitation = newInvitation();
    const first = inviteOn(
      await (await owner.post('/desk/people/invite', { ...invitation, by: 'link' })).text(),
      site,
    );
    const list = await invitesOf(owner);
    expect(list).toContain(invitation.email);
    const [, invite = ''] =
      new RegExp(`id="invite-([0-9a-f-]{36})".*?${invitation.email}`, 's').exec(list) ?? [];
    const again = await owner.post('/desk/people/invites', { invite, act: 'again', by: 'link' });
    const second = inviteOn(await again.text(), site);
    expect((await cookieJar(site.url).get(first)).status).toBe(404);
    const twice = await owner.post('/desk/people/invite', { ...invitation, by: 'link' });
    expect(twice.status).toBe(422);
    const revoked = await owner.post('/desk/people/invites', { invite, act: 'revoke' });
    expect(await (await owner.get(revoked.headers.get('location') ?? '')).text()).toContain(
      invites.done.revoked,
    );
    const gone = await cookieJar(site.url).get(second);
    expect(gone.status).toBe(410);
    expect(await gone.text()).toContain(invites.opened.gone.revoked);
    expect((await owner.post('/desk/people/invites', { invite, act: 'revoke' })).status).toBe(409);
  });

  test('refuses an invitation for a role that the person already has, and links to the account', async ({
    owner,
    people,
  }) => {
    const invitation = { ...newInvitation(), email: people.editor.email, by: 'link' };
    const answer = await owner.post('/desk/people/invite', invitation);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain('id="email-problem"');
    expect(page).toContain(
      `/desk/people?${new URLSearchParams({ q: people.editor.email })}`.replace('&', '&amp;'),
    );
  });

  test('ignores the password of an unconfirmed account when an invitation is accepted', async ({
    site,
    owner,
  }) => {
    const invitation = newInvitation();
    const { email } = invitation;
    await site.service.auth.admin.createUser({ email, password: PASSWORD, email_confirm: false });
    const answer = await owner.post('/desk/people/invite', { ...invitation, role: 'editor', by: 'link' });
    const jar = cookieJar(site.url);
    await join(jar, inviteOn(await answer.text(), site), 'a password of my own');
    expect(await currentPerson(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'editor' });
    expect(await canSignIn(site.url, { email, password: PASSWORD })).toBe(false);
  });

  test.for([
    ['name', { name: '' }],
    ['email', { email: 'nobody' }],
    ['role', { role: 'emperor' }],
    ['coverage', { role: 'contributor' }],
    ['days', { role: 'contributor', days: 'many' }],
  ] as const)(
    'shows an invalid %s at its field and creates no account',
    async ([field, invalid], { site, owner }) => {
      const count = async () =>
        (await site.service.auth.admin.listUsers({ perPage: 1000 })).data.users.length;
      const before = await count();
      const answer = await owner.post('/desk/people/invite', { ...newInvitation(), ...invalid, by: 'link' });
      expect(answer.status).toBe(422);
      expect(await answer.text()).toContain(`id="${field}-problem"`);
      expect(await count()).toBe(before);
    },
  );

  test('offers a link for choosing a new password, which ends the old one and every session', async ({
    site,
    owner,
  }) => {
    const person = await createReader(site);
    const before = await signInWithCookies(site.url, person);
    const list = await (await owner.get(`/desk/people?q=${person.email}`)).text();
    const { action, fields } = findForm(list, words.makeLink);
    expect(action).toBe('/desk/people/link');
    const page = await (await owner.post(action, fields)).text();
    expect(page).toContain(words.link.known);
    const jar = cookieJar(site.url);
    await follow(jar, linkOn(page, site), accounts.link.recovery.press, 'a password of my own');
    expect(await canSignIn(site.url, person)).toBe(false);
    expect(await canSignIn(site.url, { ...person, password: 'a password of my own' })).toBe(true);
    expect((await before.get('/account')).status).toBe(303);
    expect((await jar.get('/account')).status).toBe(200);
  });

  test('creates a link only by a form and for an existing person', async ({ owner }) => {
    const opened = await owner.get('/desk/people/link');
    expect(redirectOf(opened)).toEqual([303, '/desk/people']);
    for (const person of [randomUUID(), 'nobody']) {
      expect((await owner.post('/desk/people/link', { person })).status, person).toBe(404);
    }
  });
});
