import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { cookieJar, RELOAD, signInWithCookies } from '../support/http-client.ts';
import { call, type Newsroom, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { test } from '../support/test.ts';

/** What browsers of other sites may do with a response. */
const permissionsOf = ({ headers }: Response) => ({
  origin: headers.get('access-control-allow-origin'),
  credentials: headers.get('access-control-allow-credentials'),
});
const EVERYBODY = { origin: '*', credentials: null };
const NOBODY = { origin: null, credentials: null };

const fromElsewhere = { ...RELOAD, origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
const fromSandbox = { ...RELOAD, origin: 'null', 'sec-fetch-site': 'cross-site' };

const live = ({ coverage }: Newsroom) => `/live/${coverage.slug}`;

test('lets every site read public fragments, lists and scripts, and their refusals', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish();
  const page = await (await fetch(site.url + live(newsroom))).text();
  const script = /\/_astro\/[\w.-]+\.js/.exec(page)?.[0] ?? '';
  expect(script).not.toBe('');
  for (const path of [
    `${live(newsroom)}/changes?after=1`,
    `${live(newsroom)}/changes?after=x`,
    '/live/never-was/changes?after=1',
    `${live(newsroom)}/part`,
    `${live(newsroom)}/part?layout=x`,
    '/live/never-was/part',
    `${live(newsroom)}/brief.txt`,
    '/live/never-was/brief.txt',
    '/api/coverages.json',
    `${live(newsroom)}/feed.json`,
    `/oembed?url=${encodeURIComponent(site.url + live(newsroom))}`,
    script,
  ]) {
    for (const headers of [fromElsewhere, fromSandbox])
      expect(permissionsOf(await fetch(site.url + path, { headers })), path).toEqual(EVERYBODY);
  }
});

test('lets a frame without an origin read when to ask again, and that a coverage was withdrawn', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish();
  const changes = `${site.url}${live(newsroom)}/changes`;
  const early = await fetch(`${changes}?after=1&until=999`, { headers: fromSandbox });
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
  expect(permissionsOf(early)).toEqual(EVERYBODY);
  expect(early.headers.get('access-control-expose-headers')).toBe('*');
  await newsroom.setState('withdrawn');
  const gone = () => fetch(`${changes}?after=1`, { headers: fromSandbox });
  await expect.poll(async () => (await gone()).status).toBe(410);
  expect(permissionsOf(await gone())).toEqual(EVERYBODY);
});

test('lets no other site read pages, private responses or answers to a session', async ({
  site,
  newsroom,
  people,
}) => {
  await newsroom.publish();
  const paths = [
    '/',
    live(newsroom),
    `${live(newsroom)}/1`,
    `${live(newsroom)}/embed`,
    '/tips',
    '/follow',
    '/sign-in',
    '/api/me',
    '/api/waiting',
    '/api/nothing',
    '/account',
    '/account/data',
    '/desk',
    `/desk/${newsroom.coverage.slug}`,
    '/desk/people',
    '/desk/site/export',
    `/tips/${'r'.repeat(43)}/state`,
    '/unsubscribe/short',
  ];
  const owner = await signInWithCookies(site.url, people.owner);
  for (const client of [cookieJar(site.url), owner]) {
    for (const path of paths) {
      for (const headers of [fromElsewhere, fromSandbox])
        expect(permissionsOf(await client.get(path, headers)), path).toEqual(NOBODY);
    }
  }
  for (const headers of [fromElsewhere, fromSandbox]) {
    const token = await owner.post('/api/token', {}, headers);
    expect([token.status, permissionsOf(token)]).toEqual([403, NOBODY]);
  }
});

test('ignores cookies where every site may read', async ({ site, newsroom, people }) => {
  const { client } = people.editor;
  const [coverage_id, slug] = [randomUUID(), `draft-${randomUUID().slice(0, 8)}`];
  const content = { slug, headline: 'Not yet public', standfirst: '' };
  await call(client, 'create_coverage', { coverage_id, content });
  const update = { coverage_id: newsroom.coverage.id, update_id: randomUUID() };
  await call(client, 'save_update', { ...update, content: { body: [paragraph('Only for the desk.')] } });
  await newsroom.publish({ headline: 'For everybody' });

  const editor = await signInWithCookies(site.url, people.editor);
  expect((await editor.get(`/desk/${slug}`)).status).toBe(200);
  for (const route of ['changes?after=0', 'part', 'part?updates=50']) {
    expect((await editor.get(`/live/${slug}/${route}`)).status, route).toBe(404);
    const answer = await editor.get(`${live(newsroom)}/${route}`);
    const text = await answer.text();
    expect(text, route).toContain('For everybody');
    expect(text, route).not.toContain('Only for the desk.');
    expect(answer.headers.get('set-cookie'), route).toBeNull();
    expect(answer.headers.get('vary') ?? '', route).not.toMatch(/cookie/i);
    expect(await (await fetch(`${site.url}${live(newsroom)}/${route}`)).text(), route).toBe(text);
  }
  expect(await (await editor.get('/api/coverages.json')).text()).not.toContain(slug);
});

test('lets other sites with cross-origin isolation show public photos only', async ({
  site,
  newsroom,
  people,
}) => {
  const { block, id } = await addPhoto(site, newsroom);
  await newsroom.publish({ body: [paragraph('High water.'), block] });
  const shown = () => fetch(`${site.url}/photos/${id}/480`, { headers: RELOAD });
  await expect.poll(async () => (await shown()).status).toBe(200);
  expect((await shown()).headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  const editor = await signInWithCookies(site.url, people.editor);
  const desk = await editor.get(`/desk/photos/${id}/480`);
  expect([desk.status, desk.headers.get('cross-origin-resource-policy')]).toEqual([200, null]);
});
