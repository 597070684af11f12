import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/text/accounts.ts';
import { desk } from '../../src/lib/text/desk.ts';
import { people as words } from '../../src/lib/text/people.ts';
import { signUp } from '../support/backend.ts';
import { type CookieJar, cookieJar } from '../support/cookies.ts';
import { formIn } from '../support/forms.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';
import { leadsTo, signedIn, signsIn, whoIs } from '../support/visitor.ts';

const PASSWORD = 'correct horse battery';

/** A site that sends no mail, with its owner signed in. */
const test = base.extend('owner', { scope: 'file' }, async ({ site, people }) =>
  signedIn(site.url, people.owner),
);

const standing = async ({ service }: TestSite, id: string) => {
  const { data } = await service.from('people').select('role, active').eq('id', id).single();
  return data;
};

async function newcomer(site: TestSite) {
  const email = `${randomUUID()}@example.com`;
  const { user } = await signUp(site, { email, password: PASSWORD });
  return { id: user.id, email, password: PASSWORD };
}

/** The link on a page, as the owner copies it: a path of the site. */
function linkOn(page: string, site: TestSite): string {
  const [, link = ''] = /<textarea[^>]*name="link"[^>]*>([^<]*)/.exec(page) ?? [];
  expect(link).toMatch(/^http:.*\/auth\/confirm\?token_hash=/);
  return link.replaceAll('&amp;', '&').replaceAll('&#38;', '&').slice(site.url.length);
}

/** Follows a link as the person it was made for: presses its button and chooses a password. */
async function follow(jar: CookieJar, link: string, press: string, password: string): Promise<Response> {
  const { action, fields } = formIn(await (await jar.get(link)).text(), press);
  const pressed = await jar.post(action, fields);
  expect(pressed.headers.get('location')).toBe('/reset-password');
  return jar.post('/reset-password', { password });
}

const PATHS = ['/desk/people', '/desk/people/invite', '/desk/people/link'];

test('sends visitors to sign in, and back', async ({ site }) => {
  for (const path of PATHS) {
    const answer = await cookieJar(site.url).get(path);
    expect(answer.headers.get('location')).toMatch(/^\/sign-in\?next=%2Fdesk%2Fpeople/);
  }
});

test.for(['editor', 'reporter', 'moderator', 'contributor', 'reader'] as const)(
  'is not for a %s, who sees and changes nothing there',
  async (role, { site, people }) => {
    const count = async () => (await site.service.auth.admin.listUsers()).data.users.length;
    const before = await count();
    const jar = await signedIn(site.url, people[role]);
    const { id } = people.reader;
    const fields = {
      person: id,
      act: 'role',
      role: 'owner',
      by: 'link',
      name: 'Eve',
      email: 'eve@example.com',
    };
    for (const path of PATHS) {
      expect((await jar.get(path)).status, path).toBe(403);
      const answer = await jar.post(path, fields);
      expect(answer.status, path).toBe(403);
      expect(await answer.text()).not.toContain(people.owner.email);
    }
    expect(await (await jar.get('/desk')).text()).not.toContain('href="/desk/people"');
    expect(await standing(site, id)).toEqual({ role: 'reader', active: true });
    expect(await count()).toBe(before);
  },
);

describe('the list', () => {
  test('has everybody, staff first, and is searched by name, handle or address', async ({
    people,
    owner,
  }) => {
    const answer = await owner.get('/desk/people');
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const page = await answer.text();
    for (const { email } of Object.values(people)) expect(page).toContain(email);
    expect(page.indexOf(people.owner.email)).toBeLessThan(page.indexOf(people.reader.email));
    expect(await (await owner.get('/desk')).text()).toContain('href="/desk/people"');

    const found = await (await owner.get(`/desk/people?q=${people.editor.email.toUpperCase()}`)).text();
    expect(found).toContain(`id="person-${people.editor.id}"`);
    expect(found).not.toContain(`id="person-${people.reader.id}"`);
    expect(await (await owner.get(`/desk/people?q=${randomUUID()}`)).text()).toContain(words.none);
  });

  test('goes on where it ended', async ({ site, owner }) => {
    const crowd = randomUUID().slice(0, 8);
    for (let n = 0; n < 51; n++) {
      const user_metadata = { display_name: `Crowd ${crowd} ${n}` };
      await site.service.auth.admin.createUser({ email: `${crowd}-${n}@example.com`, user_metadata });
    }
    const ids = (page: string) => [...page.matchAll(/id="person-([0-9a-f-]{36})"/g)].map(([, id]) => id);
    const first = await (await owner.get(`/desk/people?q=${crowd}`)).text();
    const [, next = ''] = /href="(\/desk\/people\?[^"]*after=[^"]*)"/.exec(first) ?? [];
    const second = await (await owner.get(next.replaceAll('&amp;', '&').replaceAll('&#38;', '&'))).text();
    expect(ids(first)).toHaveLength(50);
    expect(ids(second)).toHaveLength(1);
    expect(ids(first)).not.toContain(ids(second)[0]);
    expect(first).toContain('rel="next"');
    expect(second).not.toContain('rel="next"');
  });
});

describe('changing somebody', () => {
  test('gives a role, which counts at once', async ({ site, owner }) => {
    const person = await newcomer(site);
    const theirs = await signedIn(site.url, person);
    const answer = await owner.post(`/desk/people?q=${person.email}`, {
      person: person.id,
      act: 'role',
      role: 'editor',
    });
    expect(answer.status).toBe(303);
    const page = await (await owner.get(answer.headers.get('location') ?? '')).text();
    expect(page).toContain(words.done.role);
    expect(page).toMatch(new RegExp(`id="person-${person.id}".*<b>${desk.roles.editor}</b>`, 's'));
    expect((await theirs.get('/desk/new')).status).toBe(200);
  });

  test('takes an account out of use at once, and gives it back', async ({ site, owner }) => {
    const person = await newcomer(site);
    const theirs = await signedIn(site.url, person);
    await owner.post('/desk/people', { person: person.id, act: 'deactivate' });
    expect((await theirs.get('/account')).status).toBe(303);
    expect(await signsIn(site.url, person)).toBe(false);
    const page = await (await owner.get(`/desk/people?q=${person.email}`)).text();
    expect(page).toContain(words.deactivated);

    const refused = await owner.post('/desk/people/link', { person: person.id });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain(words.problems.inactive);
    await owner.post('/desk/people', { person: person.id, act: 'activate' });
    expect(await signsIn(site.url, person)).toBe(true);
  });

  test('never takes the last owner; why stands at the person, opened', async ({ site, people, owner }) => {
    const demotions: Record<string, string>[] = [{ act: 'role', role: 'reader' }, { act: 'deactivate' }];
    for (const fields of demotions) {
      const answer = await owner.post('/desk/people', { person: people.owner.id, ...fields });
      expect(answer.status).toBe(409);
      const page = await answer.text();
      expect(page).toContain(`<title>${accounts.titleOfProblem(words.title)}`);
      expect(page).toMatch(new RegExp(`id="person-${people.owner.id}".*<details open.*The last owner`, 's'));
    }
    expect(await standing(site, people.owner.id)).toEqual({ role: 'owner', active: true });
  });

  test.for([
    [{ act: 'role', role: 'emperor' }, 422],
    [{ act: 'promote' }, 422],
    [{ act: 'role', role: 'editor', person: randomUUID() }, 404],
    [{ act: 'role', role: 'editor', person: 'nobody' }, 422],
  ] as const)('%j is refused', async ([fields, status], { people, owner }) => {
    expect((await owner.post('/desk/people', { person: people.reader.id, ...fields })).status).toBe(status);
  });
});

describe('where no mail is sent', () => {
  const given = () => ({ name: 'Nell Ashe', email: `${randomUUID()}@example.com`, role: 'reporter' });

  test('an invitation says so, keeps what was typed, and becomes a link that lets its holder in, once', async ({
    site,
    owner,
  }) => {
    const invitation = given();
    const refused = await owner.post('/desk/people/invite', { ...invitation, by: 'mail' });
    expect(refused.status).toBe(409);
    const form = await refused.text();
    expect(form).toContain(words.invitation.noMail);
    expect(form).toContain(`value="${invitation.email}"`);

    const answer = await owner.post('/desk/people/invite', { ...invitation, by: 'link' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const link = linkOn(await answer.text(), site);

    const jar = cookieJar(site.url);
    const chosen = await follow(jar, link, accounts.link.invite.press, 'a password of my own');
    expect(chosen.headers.get('location')).toBe('/desk');
    expect(await whoIs(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'reporter' });
    expect(await signsIn(site.url, { ...invitation, password: 'a password of my own' })).toBe(true);
    expect(await (await cookieJar(site.url).get(link)).text()).toContain(accounts.link.invite.press);
    const { action, fields } = formIn(
      await (await cookieJar(site.url).get(link)).text(),
      accounts.link.invite.press,
    );
    expect((await cookieJar(site.url).post(action, fields)).status).toBe(410);

    const secret = new URL(link, site.url).searchParams.get('token_hash') ?? '';
    expect(site.said() + site.errors()).not.toContain(secret);
  });

  test('an address that has an account is not invited again', async ({ site, owner, people }) => {
    const invitation = { ...given(), email: people.reader.email, role: 'owner', by: 'link' };
    const answer = await owner.post('/desk/people/invite', invitation);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain(words.invitation.known);
    expect(page).toContain(
      `/desk/people?${new URLSearchParams({ q: people.reader.email })}`.replace('&', '&amp;'),
    );
    expect(await standing(site, people.reader.id)).toEqual({ role: 'reader', active: true });
  });

  test('whoever made an account with an address that is not theirs has no part in the invitation', async ({
    site,
    owner,
  }) => {
    const invitation = given();
    const { email } = invitation;
    await site.service.auth.admin.createUser({ email, password: PASSWORD, email_confirm: false });
    const answer = await owner.post('/desk/people/invite', { ...invitation, role: 'editor', by: 'link' });
    const jar = cookieJar(site.url);
    const link = linkOn(await answer.text(), site);
    const { action, fields } = formIn(await (await jar.get(link)).text(), accounts.link.invite.press);
    await jar.post(action, fields);
    expect(await signsIn(site.url, { email, password: PASSWORD })).toBe(false);
  });

  test.for([
    ['name', { name: '' }],
    ['email', { email: 'nobody' }],
    ['role', { role: 'emperor' }],
  ] as const)(
    'a wrong %s is said at its field, and nobody is made',
    async ([field, wrong], { site, owner }) => {
      const count = async () =>
        (await site.service.auth.admin.listUsers({ perPage: 1000 })).data.users.length;
      const before = await count();
      const answer = await owner.post('/desk/people/invite', { ...given(), ...wrong, by: 'link' });
      expect(answer.status).toBe(422);
      expect(await answer.text()).toContain(`id="${field}-problem"`);
      expect(await count()).toBe(before);
    },
  );

  test('who cannot get in is handed a link to choose a password; the old one and every session end', async ({
    site,
    owner,
  }) => {
    const person = await newcomer(site);
    const before = await signedIn(site.url, person);
    const list = await (await owner.get(`/desk/people?q=${person.email}`)).text();
    const { action, fields } = formIn(list, words.makeLink);
    expect(action).toBe('/desk/people/link');
    const page = await (await owner.post(action, fields)).text();
    expect(page).toContain(words.link.known);
    const jar = cookieJar(site.url);
    await follow(jar, linkOn(page, site), accounts.link.recovery.press, 'a password of my own');
    expect(await signsIn(site.url, person)).toBe(false);
    expect(await signsIn(site.url, { ...person, password: 'a password of my own' })).toBe(true);
    expect((await before.get('/account')).status).toBe(303);
    expect((await jar.get('/account')).status).toBe(200);
  });

  test('a link is made by a press and for somebody who is there', async ({ owner }) => {
    const asked = await owner.get('/desk/people/link');
    expect(leadsTo(asked)).toEqual([303, '/desk/people']);
    for (const person of [randomUUID(), 'nobody']) {
      expect((await owner.post('/desk/people/link', { person })).status, person).toBe(404);
    }
  });
});
