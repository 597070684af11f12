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
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { audit, type LogSentenceValues, people as words } from '../../src/lib/i18n/en/people.ts';
import {
  type CookieJar,
  canSignIn,
  cookieJar,
  redirectOf,
  signInWithCookies,
} from '../support/http-client.ts';
import { addMedia } from '../support/media.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { test as base, createReader, roleOf } from './people-context.ts';

/** On a shared site, other files have owners too. */
const test = base.extend('ownSite', true);

/** Contents of the files of an archive, by name. */
async function unpack(answer: Response): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const archive = extract();
  const read = (async () => {
    for await (const entry of archive) {
      const of = /^(?:photos|media)\//.test(entry.header.name) ? 'latin1' : 'utf8';
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
    const jar = await signInWithCookies(site.url, people[role]);
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
    const personJar = await signInWithCookies(site.url, person);
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
    const personJar = await signInWithCookies(site.url, person);
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
      `${audit.server} gave ${display_name} access to`,
      `changed the role of ${display_name} from reader to contributor`,
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
    const video = await addMedia(site, newsroom);
    const update = await newsroom.publish({ body: [paragraph('The dam holds.'), photo.block, video.block] });
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
    expect(Buffer.from(files.get(`media/${video.id}.mp4`) ?? '', 'latin1').equals(video.bytes)).toBe(true);
    expect(files.get('media_files.jsonl')).toContain(video.id);
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
