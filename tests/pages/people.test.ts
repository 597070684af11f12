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
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import type { LogSentenceValues } from '../../src/lib/i18n/en/audit.ts';
import { audit } from '../../src/lib/i18n/en/audit.ts';
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { invites, people as words } from '../../src/lib/i18n/en/people.ts';
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

/** A site without a mail server, with its owner signed in. */
const test = base.extend('owner', { scope: 'file' }, async ({ site, people }) =>
  signInJar(site.url, people.owner),
);

const roleOf = async ({ service }: TestSite, id: string) => {
  const { data } = await service.from('people').select('role, active').eq('id', id).single();
  return data;
};

async function createReader(site: TestSite) {
  const email = `${randomUUID()}@example.com`;
  const { user } = await signUp(site, { email, password: PASSWORD });
  return { id: user.id, email, password: PASSWORD };
}

/** The sign-in link on a page, as the owner copies it, without the origin. */
function linkOn(page: string, site: TestSite): string {
  const [, link = ''] = /<textarea[^>]*name="link"[^>]*>([^<]*)/.exec(page) ?? [];
  expect(link).toMatch(/^http:.*\/auth\/confirm\?token_hash=/);
  return link.replaceAll('&amp;', '&').replaceAll('&#38;', '&').slice(site.url.length);
}

/** Opens a link as its recipient does: presses its button and chooses a password. */
async function follow(jar: CookieJar, link: string, press: string, password: string): Promise<Response> {
  const { action, fields } = formIn(await (await jar.get(link)).text(), press);
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

/** Contents of the files of an archive, by name. */
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

test('redirects visitors to the sign-in page with the way back', async ({ site }) => {
  for (const path of PATHS) {
    const answer = await cookieJar(site.url).get(path);
    expect(answer.headers.get('location')).toMatch(/^\/sign-in\?next=%2Fdesk%2F(people|site)/);
  }
});

test.for(['editor', 'reporter', 'moderator', 'contributor', 'reader'] as const)(
  'refuses the role %s, which sees and changes nothing',
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
    expect(await roleOf(site, id)).toEqual({ role: 'reader', active: true });
    expect(await count()).toBe(before);
  },
);

describe('list of people', () => {
  test('lists all people, staff first, and searches by name, handle or address', async ({
    people,
    owner,
  }) => {
    const answer = await owner.get('/desk/people');
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const page = await answer.text();
    for (const { email } of Object.values(people)) expect(page).toContain(email);
    expect(page.indexOf(people.owner.email)).toBeLessThan(page.indexOf(people.reader.email));
    expect(await (await owner.get('/desk')).text()).toContain('href="/desk/people"');

    const results = await (await owner.get(`/desk/people?q=${people.editor.email.toUpperCase()}`)).text();
    expect(results).toContain(`id="person-${people.editor.id}"`);
    expect(results).not.toContain(`id="person-${people.reader.id}"`);
    expect(await (await owner.get(`/desk/people?q=${randomUUID()}`)).text()).toContain(words.none);
  });

  test('has further pages', async ({ site, owner }) => {
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

describe('changes of a person', () => {
  test('gives a role with immediate effect', async ({ site, owner }) => {
    const person = await createReader(site);
    const personJar = await signInJar(site.url, person);
    const answer = await owner.post(`/desk/people?q=${person.email}`, {
      person: person.id,
      act: 'role',
      role: 'editor',
    });
    expect(answer.status).toBe(303);
    const page = await (await owner.get(answer.headers.get('location') ?? '')).text();
    expect(page).toContain(words.done.role);
    expect(page).toMatch(new RegExp(`id="person-${person.id}".*<b>${desk.roles.editor}</b>`, 's'));
    expect((await personJar.get('/desk/new')).status).toBe(200);
  });

  test('deactivates an account at once, and activates it again', async ({ site, owner }) => {
    const person = await createReader(site);
    const personJar = await signInJar(site.url, person);
    await owner.post('/desk/people', { person: person.id, act: 'deactivate' });
    expect((await personJar.get('/account')).status).toBe(303);
    expect(await canSignIn(site.url, person)).toBe(false);
    const page = await (await owner.get(`/desk/people?q=${person.email}`)).text();
    expect(page).toContain(words.deactivated);

    const refused = await owner.post('/desk/people/link', { person: person.id });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain(words.problems.inactive);
    await owner.post('/desk/people', { person: person.id, act: 'activate' });
    expect(await canSignIn(site.url, person)).toBe(true);
  });

  test('never removes the last owner, and explains this at the person', async ({ site, people, owner }) => {
    const demotions: Record<string, string>[] = [{ act: 'role', role: 'reader' }, { act: 'deactivate' }];
    for (const fields of demotions) {
      const answer = await owner.post('/desk/people', { person: people.owner.id, ...fields });
      expect(answer.status).toBe(409);
      const page = await answer.text();
      expect(page).toContain(`<title>${accounts.titleOfProblem(words.title)}`);
      expect(page).toMatch(new RegExp(`id="person-${people.owner.id}".*<details open.*The last owner`, 's'));
    }
    expect(await roleOf(site, people.owner.id)).toEqual({ role: 'owner', active: true });
  });

  test.for([
    [{ act: 'role', role: 'emperor' }, 422],
    [{ act: 'promote' }, 422],
    [{ act: 'role', role: 'editor', person: randomUUID() }, 404],
    [{ act: 'role', role: 'editor', person: 'nobody' }, 422],
  ] as const)('rejects %j', async ([fields, status], { people, owner }) => {
    expect((await owner.post('/desk/people', { person: people.reader.id, ...fields })).status).toBe(status);
  });
});

describe('page of a person', () => {
  test("explains each change, lists memberships and links to the person's log entries", async ({
    site,
    owner,
    newsroom,
  }) => {
    const person = await createReader(site);
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
    for (const entry of [
      `deactivated the account of ${display_name}`,
      `${audit.server} gave ${display_name} a place in`,
      `made ${display_name} contributor, who was reader`,
    ]) {
      expect(log).toContain(entry);
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

describe('site export', () => {
  const startExport = (jar: CookieJar, fields: Record<string, string> = {}) =>
    jar.post('/desk/site/export', fields);
  const leftovers = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('stoppress-export-'));

  test('contains every row as a line and a README; tips and addresses on request', async ({
    site,
    owner,
    newsroom,
  }) => {
    const photo = await addPhoto(site, newsroom);
    const update = await newsroom.publish({ body: [paragraph('The dam holds.'), photo.block] });
    await newsroom.correct(update, { body: [paragraph('The dam held.')] }, 'A verb.');
    const answer = await startExport(owner);
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
    const rendition = Buffer.from(files.get(`photos/${photo.id}.webp`) ?? '', 'latin1');
    expect(await sharp(rendition).metadata()).toMatchObject({ format: 'webp', width: 1600 });
    expect((await sharp(rendition).stats()).channels.map(({ mean }) => Math.round(mean / 8))).toEqual([
      5, 8, 13,
    ]);
    expect([...files.values()].join()).not.toContain('@example.com');
    expect([...files.keys()]).not.toContain('tips.jsonl');
    const withTips = await unpack(await startExport(owner, { tips: 'on', addresses: 'on' }));
    expect(withTips.get('addresses.jsonl')).toContain('@example.com');
    expect([...withTips.keys()]).toEqual(expect.arrayContaining(['tips.jsonl', 'invites.jsonl']));
    expect(await (await owner.get('/desk/people/log?action=export')).text()).toContain(
      audit.sentences.export({ by: 'owner' } as LogSentenceValues).slice('owner'.length),
    );
    expect(await leftovers()).toEqual([]);
  });

  test('leaves no files when the download is cancelled', async ({ owner }) => {
    const body = (await startExport(owner)).body?.getReader();
    await body?.read();
    await body?.cancel();
    await expect.poll(leftovers, { timeout: 10_000 }).toEqual([]);
  });
});

describe('newsroom without a mail server', () => {
  const newInvitation = () => ({ name: 'Nell Ashe', email: `${randomUUID()}@example.com`, role: 'reporter' });

  /** Opens an invitation and submits its form with a password. */
  async function join(jar: CookieJar, link: string, password: string) {
    const { action, fields } = formIn(await (await jar.get(link)).text(), invites.opened.join);
    return jar.post(action || link, { ...fields, password });
  }
  const invitesOf = async (owner: CookieJar) => (await owner.get('/desk/people/invites')).text();

  test('invites by a link that works once and gives the role', async ({ site, owner }) => {
    const invitation = newInvitation();
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
    const stranger = await signInJar(site.url, people.reporter);
    expect(await (await stranger.get(link)).text()).not.toContain(`value="accept"`);
    expect((await stranger.post(link, { act: 'accept' })).status).toBe(403);

    const jar = await signInJar(site.url, person);
    const { fields: sent } = formIn(await (await jar.get(link)).text(), invites.opened.accept);
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

  test('creates a link only by a form and for an existing person', async ({ owner }) => {
    const opened = await owner.get('/desk/people/link');
    expect(redirectOf(opened)).toEqual([303, '/desk/people']);
    for (const person of [randomUUID(), 'nobody']) {
      expect((await owner.post('/desk/people/link', { person })).status, person).toBe(404);
    }
  });
});
