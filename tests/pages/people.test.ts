import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import sharp from 'sharp';
import { extract } from 'tar-stream';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/accounts.ts';
import { audit } from '../../src/lib/i18n/audit.ts';
import { desk } from '../../src/lib/i18n/desk.ts';
import type { Told } from '../../src/lib/i18n/en/audit.ts';
import { invites } from '../../src/lib/i18n/invites.ts';
import { people as words } from '../../src/lib/i18n/people.ts';
import { signUp } from '../support/backend.ts';
import {
  type CookieJar,
  canSignIn,
  cookieJar,
  formIn,
  redirectOf,
  signInJar,
  whoIs,
} from '../support/http-client.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const PASSWORD = 'correct horse battery';

/** A site that sends no mail, with its owner signed in. */
const test = base.extend('owner', { scope: 'file' }, async ({ site, people }) =>
  signInJar(site.url, people.owner),
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

/** The invitation on a page, as the owner copies it: a path of the site. */
function inviteOn(page: string, site: TestSite): string {
  const [, link = ''] = /<textarea[^>]*name="link"[^>]*>([^<]*)/.exec(page) ?? [];
  expect(link).toMatch(/^http:.*\/invites\/[\w-]{43}$/);
  return link.slice(site.url.length);
}

/** The files of an archive, by their names. */
async function unpack(answer: Response): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const archive = extract();
  const read = (async () => {
    for await (const entry of archive) {
      const of = entry.header.name.startsWith('photos/') ? 'latin1' : 'utf8';
      files.set(entry.header.name, (await buffer(entry)).toString(of));
    }
  })();
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), createGunzip(), archive);
  await read;
  return files;
}

const PATHS = [
  '/desk/site/export',
  '/desk/people',
  '/desk/people/log',
  `/desk/people/${randomUUID()}`,
  '/desk/people/invite',
  '/desk/people/invites',
  '/desk/people/link',
];

test('sends visitors to sign in, and back', async ({ site }) => {
  for (const path of PATHS) {
    const answer = await cookieJar(site.url).get(path);
    expect(answer.headers.get('location')).toMatch(/^\/sign-in\?next=%2Fdesk%2F(people|site)/);
  }
});

test.for(['editor', 'reporter', 'moderator', 'contributor', 'reader'] as const)(
  'is not for a %s, who sees and changes nothing there',
  async (role, { site, people }) => {
    const count = async () => (await site.service.auth.admin.listUsers()).data.users.length;
    const before = await count();
    const jar = await signInJar(site.url, people[role]);
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
      expect(answer.status, path).toBe(path === '/desk/people/log' ? 405 : 403);
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
    const theirs = await signInJar(site.url, person);
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
    const theirs = await signInJar(site.url, person);
    await owner.post('/desk/people', { person: person.id, act: 'deactivate' });
    expect((await theirs.get('/account')).status).toBe(303);
    expect(await canSignIn(site.url, person)).toBe(false);
    const page = await (await owner.get(`/desk/people?q=${person.email}`)).text();
    expect(page).toContain(words.deactivated);

    const refused = await owner.post('/desk/people/link', { person: person.id });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain(words.problems.inactive);
    await owner.post('/desk/people', { person: person.id, act: 'activate' });
    expect(await canSignIn(site.url, person)).toBe(true);
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

describe('one of the people', () => {
  test('has a page that says what each change means, what they may do where, and leads to what they did', async ({
    site,
    owner,
    newsroom,
  }) => {
    const person = await newcomer(site);
    const path = `/desk/people/${person.id}`;
    const before = await (await owner.get(path)).text();
    expect(before).toContain(words.meaning(desk.roles.contributor, 'contributor'));
    expect(before).toContain(words.one.deactivates);
    const answer = await owner.post(path, { act: 'role', role: 'contributor' });
    expect(redirectOf(answer)).toEqual([303, `${path}?done=role`]);
    await call(site.service, 'set_coverage_member', {
      coverage_id: newsroom.coverage.id,
      person_id: person.id,
    });
    await owner.post(path, { act: 'deactivate' });
    const after = await (await owner.get(path)).text();
    expect(after).toContain(`href="/desk/${newsroom.coverage.slug}"`);
    expect(after).toContain(words.deactivated);

    const log = await (await owner.get(`/desk/people/log?person=${person.id}`)).text();
    const { display_name } = (
      await site.service.from('people').select('display_name').eq('id', person.id).single()
    ).data as { display_name: string };
    for (const said of [
      `deactivated the account of ${display_name}`,
      `${audit.server} gave ${display_name} a place in`,
      `made ${display_name} contributor, who was reader`,
    ]) {
      expect(log).toContain(said);
    }
    expect(log.match(/id="entry-/g)).toHaveLength(3);
    const only = await (await owner.get(`/desk/people/log?person=${person.id}&action=set_role`)).text();
    expect(only.match(/id="entry-/g)).toHaveLength(1);
    const none = await (await owner.get('/desk/people/log?until=2020-01-01&before=x&person=y')).text();
    expect(none).toContain(audit.none);
    const past = await owner.get(`/desk/people/log?person=${person.id}&before=999999`);
    expect([past.status, (await past.text()).match(/id="entry-/g)?.length]).toEqual([200, 3]);
    expect((await owner.get(`/desk/people/${randomUUID()}`)).status).toBe(404);
    expect((await owner.post(path, { act: 'role', role: 'emperor' })).status).toBe(422);
  });
});

describe('taking everything away', () => {
  const press = (jar: CookieJar, fields: Record<string, string> = {}) =>
    jar.post('/desk/site/export', fields);
  const leftovers = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('stoppress-export-'));

  test('gives an owner every row as a line, and says what is in it; tips and addresses when asked', async ({
    site,
    owner,
    newsroom,
  }) => {
    const photo = await addPhoto(site, newsroom);
    const update = await newsroom.publish({ body: [paragraph('The dam holds.'), photo.block] });
    await newsroom.correct(update, { body: [paragraph('The dam held.')] }, 'A verb.');
    const answer = await press(owner);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip']);
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="stoppress-.*\.tar\.gz"$/,
    );
    const files = await unpack(answer);
    for (const part of ['coverages', 'updates', 'update_revisions', 'people', 'coverage_changes', 'site']) {
      const { count } = await site.service.from(part).select('*', { count: 'exact', head: true });
      const lines = files.get(`${part}.jsonl`)?.split('\n').slice(0, -1) ?? [];
      expect(lines.length, part).toBe(count);
      expect(() => lines.map((line) => JSON.parse(line)), part).not.toThrow();
      expect(files.get('README.txt')).toContain(`${part}.jsonl: ${count === 1 ? '1 line' : count}`);
    }
    expect(files.get('updates.jsonl')).toContain('The dam held.');
    expect(files.get('update_revisions.jsonl')).toContain('The dam holds.');
    const print = Buffer.from(files.get(`photos/${photo.id}.webp`) ?? '', 'latin1');
    expect(await sharp(print).metadata()).toMatchObject({ format: 'webp', width: 1600 });
    expect((await sharp(print).stats()).channels.map(({ mean }) => Math.round(mean / 8))).toEqual([5, 8, 13]);
    expect([...files.values()].join()).not.toContain('@example.com');
    expect([...files.keys()]).not.toContain('tips.jsonl');
    const more = await unpack(await press(owner, { tips: 'on', addresses: 'on' }));
    expect(more.get('addresses.jsonl')).toContain('@example.com');
    expect([...more.keys()]).toEqual(expect.arrayContaining(['tips.jsonl', 'invites.jsonl']));
    expect(await (await owner.get('/desk/people/log?action=export')).text()).toContain(
      audit.says.export({ by: 'owner' } as Told).slice('owner'.length),
    );
    expect(await leftovers()).toEqual([]);
  });

  test('given up by whoever took it, leaves nothing behind', async ({ owner }) => {
    const body = (await press(owner)).body?.getReader();
    await body?.read();
    await body?.cancel();
    await expect.poll(leftovers, { timeout: 10_000 }).toEqual([]);
  });
});

describe('where no mail is sent', () => {
  const given = () => ({ name: 'Nell Ashe', email: `${randomUUID()}@example.com`, role: 'reporter' });

  /** Follows an invitation to its form, and sends it as the page shows it, with a password. */
  async function join(jar: CookieJar, link: string, password: string) {
    const { action, fields } = formIn(await (await jar.get(link)).text(), invites.opened.join);
    return jar.post(action || link, { ...fields, password });
  }
  const invitesOf = async (owner: CookieJar) => (await owner.get('/desk/people/invites')).text();

  test('an invitation is a link, which lets its holder in once, with the role', async ({ site, owner }) => {
    const invitation = given();
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
    expect(await whoIs(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'reporter' });
    expect(await canSignIn(site.url, { ...invitation, password: 'a password of my own' })).toBe(true);
    const used = await cookieJar(site.url).get(link);
    expect(used.status).toBe(410);
    expect(await used.text()).toContain(invites.opened.gone.accepted);
    expect((await cookieJar(site.url).post(link, { act: 'join' })).status).toBe(410);
    expect((await jar.get(`/invites/${'x'.repeat(43)}`)).status).toBe(404);

    const secret = link.slice('/invites/'.length);
    expect(site.output() + site.errors()).not.toContain(secret);
  });

  test('somebody with an account signs in and accepts; anybody else is told that it is not theirs', async ({
    site,
    owner,
    people,
    newsroom,
  }) => {
    const person = await newcomer(site);
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
    const nobody = await (await cookieJar(site.url).get(link)).text();
    expect(nobody).toContain(invites.opened.known);
    expect(nobody).toContain(`/sign-in?next=${encodeURIComponent(link)}`);
    const stranger = await signInJar(site.url, people.reporter);
    expect(await (await stranger.get(link)).text()).not.toContain(`value="accept"`);
    expect((await stranger.post(link, { act: 'accept' })).status).toBe(403);

    const jar = await signInJar(site.url, person);
    const { fields: sent } = formIn(await (await jar.get(link)).text(), invites.opened.accept);
    expect(redirectOf(await jar.post(link, sent))).toEqual([303, `/desk/${newsroom.coverage.slug}`]);
    expect(await standing(site, person.id)).toEqual({ role: 'contributor', active: true });
    expect((await jar.get(`/desk/${newsroom.coverage.slug}`)).status).toBe(200);
  });

  test('sent again it is another link, and revoked it is none', async ({ site, owner }) => {
    const invitation = given();
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

  test('a role that somebody has already is refused, with the way to their account', async ({
    owner,
    people,
  }) => {
    const invitation = { ...given(), email: people.editor.email, by: 'link' };
    const answer = await owner.post('/desk/people/invite', invitation);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain('id="email-problem"');
    expect(page).toContain(
      `/desk/people?${new URLSearchParams({ q: people.editor.email })}`.replace('&', '&amp;'),
    );
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
    await join(jar, inviteOn(await answer.text(), site), 'a password of my own');
    expect(await whoIs(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'editor' });
    expect(await canSignIn(site.url, { email, password: PASSWORD })).toBe(false);
  });

  test.for([
    ['name', { name: '' }],
    ['email', { email: 'nobody' }],
    ['role', { role: 'emperor' }],
    ['coverage', { role: 'contributor' }],
    ['days', { role: 'contributor', days: 'many' }],
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
    const before = await signInJar(site.url, person);
    const list = await (await owner.get(`/desk/people?q=${person.email}`)).text();
    const { action, fields } = formIn(list, words.makeLink);
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

  test('a link is made by a press and for somebody who is there', async ({ owner }) => {
    const asked = await owner.get('/desk/people/link');
    expect(redirectOf(asked)).toEqual([303, '/desk/people']);
    for (const person of [randomUUID(), 'nobody']) {
      expect((await owner.post('/desk/people/link', { person })).status, person).toBe(404);
    }
  });
});
