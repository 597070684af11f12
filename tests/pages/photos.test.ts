import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, vi } from 'vitest';
import { deleteUnusedPhotos } from '../../src/lib/data/photo-objects.server.ts';
import { settings } from '../../src/lib/i18n/en/settings.ts';
import { startImageProcessing } from '../../src/lib/server/image-processing/image-processor.server.ts';
import { processesOf } from '../chaos/process-tree.ts';
import { anonClient } from '../support/backend.ts';
import { eventually } from '../support/eventually.ts';
import { type CookieJar, redirectOf, seenField, signInWithCookies } from '../support/http-client.ts';
import { call, type Newsroom, paragraph } from '../support/newsroom.ts';
import {
  ALT,
  addPhoto,
  announcePhoto,
  makePhoto,
  makeSlowPhoto,
  processPhoto,
  uploadPhoto,
} from '../support/photos.ts';
import { killAll } from '../support/processes.ts';
import { errorLines, type TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';

const WIDTHS = [480, 960, 1600];

const get = (site: TestSite, path: string, init: RequestInit = {}) => fetch(`${site.url}${path}`, init);
const pageOf = async (site: TestSite, { coverage }: Newsroom, rest = '') =>
  (await get(site, `/live/${coverage.slug}${rest}`)).text();

/** Statuses of a photo at every width. */
const statuses = (site: TestSite, id: string) =>
  Promise.all(WIDTHS.map(async (width) => (await get(site, `/photos/${id}/${width}`)).status));

/** Time for an invalidation to arrive on a busy machine. */
const INVALIDATION_MS = 5_000;

const expectRemoved = (site: TestSite, id: string) =>
  vi.waitFor(async () => expect(await statuses(site, id)).toEqual([404, 404, 404]), INVALIDATION_MS);

test('stands for its coverage on the live page and when shared, unless the newest update shows it', async ({
  site,
  newsroom,
}) => {
  const { id, block } = await addPhoto(site, newsroom);
  const lead = async (rest = '') => {
    const [section = ''] =
      /<section id="lead-photo".*?<[/]section>/s.exec(await pageOf(site, newsroom, rest)) ?? [];
    return {
      isHidden: /^<section [^>]*hidden/.test(section),
      photo: /data-photo="([^"]*)"/.exec(section)?.[1],
    };
  };
  const isShared = async () =>
    new RegExp(
      `<meta property="og:image" content="${site.url}/live/${newsroom.coverage.slug}/card[.]jpg`,
    ).test(await pageOf(site, newsroom));
  const hidden = { isHidden: true, photo: undefined };
  const update = await newsroom.publish({ body: [paragraph('It rises.'), block], key_event: true });
  await eventually(async () => expect(await isShared()).toBe(true));
  expect(await lead()).toEqual(hidden);
  expect(await lead(`/changes?after=${update.seq - 1}`)).toEqual(hidden);

  const { seq } = await newsroom.publish();
  await eventually(async () => expect(await lead()).toEqual({ isHidden: false, photo: id }));
  expect(await lead(`/changes?after=${update.seq - 1}`)).toEqual({ isHidden: false, photo: id });

  await newsroom.withdraw(update, 'Another bridge.');
  await eventually(async () => expect(await lead()).toEqual(hidden));
  expect(await lead(`/changes?after=${seq}`)).toEqual(hidden);
  expect(await isShared()).toBe(false);
});

test('serves a photo of a published update until the update is withdrawn', async ({ site, newsroom }) => {
  const { people, coverage } = newsroom;
  const { id, block } = await addPhoto(site, newsroom);
  const again = await processPhoto(site, id);
  expect([again.status, await again.json()]).toEqual([200, { state: 'ready', refusal_code: null }]);
  expect(await statuses(site, id), 'in no update').toEqual([404, 404, 404]);
  const draft = { update_id: randomUUID(), coverage_id: coverage.id, content: { body: [block] } };
  await call(people.reporter.client, 'save_update', draft);
  expect(await statuses(site, id), 'in a draft').toEqual([404, 404, 404]);

  const update = await newsroom.publish({ body: [paragraph('It rises.'), block], key_event: true });
  const first = await eventually(async () => {
    const answer = await get(site, `/photos/${id}/480`);
    expect(answer.status).toBe(200);
    return answer;
  });
  const head = await sharp(await first.arrayBuffer()).metadata();
  expect(head).toMatchObject({ format: 'webp', width: 480, height: 282 });
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-type': 'image/webp',
    'content-length': String(head.size),
    'cache-control': 'max-age=0, s-maxage=10, stale-if-error=50',
    'cache-tag': `photos:${coverage.id}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'",
  });
  const etag = first.headers.get('etag') ?? '';
  const unchanged = await get(site, `/photos/${id}/480?utm_source=x`, { headers: { 'if-none-match': etag } });
  expect([unchanged.status, unchanged.headers.get('date')]).toEqual([304, first.headers.get('date')]);
  const headResponse = await get(site, `/photos/${id}/1600`, { method: 'HEAD' });
  expect([headResponse.status, Number(headResponse.headers.get('content-length'))]).toEqual([
    200,
    expect.any(Number),
  ]);

  const html = await pageOf(site, newsroom);
  expect(html).toContain(`<a href="/photos/${id}/480">Show photo, 1 KB</a><p>${ALT}</p>`);
  expect(html).toContain(`/photos/${id}/1600 1600w`);
  expect(html).toContain(`"image":["${site.url}/photos/${id}/1600"]`);

  const own = await pageOf(site, newsroom, `/${update.number}`);
  expect(own).toContain(`<meta property="og:image" content="${site.url}/photos/${id}/1600">`);

  // Storage does not give the files to any person.
  for (const client of [
    anonClient(site),
    people.reader.client,
    people.reporter.client,
    people.owner.client,
  ]) {
    const photos = client.storage.from('photos');
    for (const path of [`renditions/${id}/480`, `incoming/${id}`]) {
      expect((await photos.download(path)).data).toBeNull();
      expect((await photos.createSignedUrl(path, 60)).data).toBeNull();
      expect((await fetch(photos.getPublicUrl(path).data.publicUrl)).ok).toBe(false);
    }
    expect((await photos.list(`renditions/${id}`)).data ?? []).toEqual([]);
  }
  const sent = await site.service.storage.from('photos').exists(`incoming/${id}`);
  expect(sent.data, 'the original is deleted').toBe(false);

  await newsroom.withdraw(update, 'Not ours to show.');
  await expectRemoved(site, id);
  expect(await pageOf(site, newsroom)).not.toContain(id);
  expect((await get(site, `/photos/${id}/480`, { headers: { 'if-none-match': etag } })).status).toBe(404);
});

test('publishes text before its photo arrives, and removes the photo with a correction or the coverage', async ({
  site,
  newsroom,
}) => {
  const [id, second] = [await announcePhoto(newsroom), await addPhoto(site, newsroom)];
  const uploading = { type: 'photo', photo: id } as const;
  const update = await newsroom.publish({ body: [paragraph('First.'), uploading, second.block] });
  const alone = await newsroom.publish({ body: [second.block], key_event: true });
  const before = await pageOf(site, newsroom);
  expect([before.includes(id), before.includes(second.id)]).toEqual([false, true]);
  expect(before, 'the key event links to the update').toMatch(
    new RegExp(`update-${alone.number}">${ALT}</a>`),
  );
  expect(await (await processPhoto(site, id)).json()).toEqual({ state: 'uploading', refusal_code: null });
  expect(await statuses(site, id)).toEqual([404, 404, 404]);

  await uploadPhoto(newsroom, id, await makePhoto(700, 500));
  const both = await Promise.all([processPhoto(site, id), processPhoto(site, id)]);
  expect(await both[0].json()).toEqual({ state: 'ready', refusal_code: null });
  const answer = await eventually(async () => {
    const changes = await pageOf(site, newsroom, `/changes?after=${alone.seq}`);
    expect(changes).toContain(`data-photo="${id}"`);
    return changes;
  });
  expect(answer).toMatch(new RegExp(`<article id="update-${update.number}"`));
  expect(answer).not.toContain(`<article id="update-${alone.number}"`);
  expect(answer).toContain(`/photos/${id}/480 480w, /photos/${id}/960 700w"`);
  const largest = await (await get(site, `/photos/${id}/1600`)).arrayBuffer();
  expect((await sharp(largest).metadata()).width, 'never enlarged').toBe(700);

  await newsroom.correct(update, { body: [paragraph('First.')] }, 'It showed another bridge.');
  await expectRemoved(site, id);
  expect(await statuses(site, second.id)).toEqual([200, 200, 200]);
  await newsroom.setState('withdrawn');
  await expectRemoved(site, second.id);
});

test('serves a photo at the desk to permitted staff only, without caching', async ({ site, newsroom }) => {
  const { people } = newsroom;
  const { id } = await addPhoto(site, newsroom);
  const path = `/desk/photos/${id}/960`;
  const answers = { visitor: 401, reader: 404, moderator: 404, editor: 200, reporter: 200 };
  const jars = await Promise.all(
    (['reader', 'moderator', 'editor', 'reporter'] as const).map(
      async (role) => [role, await signInWithCookies(site.url, people[role])] as const,
    ),
  );
  const statusesByRole = await Promise.all(
    jars.map(async ([role, jar]) => [role, (await jar.get(path)).status]),
  );
  expect({ visitor: (await get(site, path)).status, ...Object.fromEntries(statusesByRole) }).toEqual(answers);
  const own = await jars[3]?.[1].get(path);
  expect(own?.headers.get('cache-control')).toBe('private, no-store');
  expect(own?.headers.get('content-type')).toBe('image/webp');
});

test('refuses a file that is no photo with its code, and deletes it', async ({ site, newsroom }) => {
  const cases = [
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'storage', undefined],
    [(await makePhoto()).subarray(0, 3000), 'image processor', 'unsupported_media'],
  ] as const;
  for (const [bytes, by, refusal] of cases) {
    const id = await announcePhoto(newsroom);
    // Storage rejects other types of content; the image processor rejects damaged photos.
    const refused = await uploadPhoto(newsroom, id, Buffer.from(bytes)).catch((error) => error);
    const { data } = await site.service.storage.from('photos').exists(`incoming/${id}`);
    expect(data, by).toBe(by === 'image processor');
    if (by === 'storage') expect(refused).toMatchObject({ statusCode: '415' });
    else
      expect(await (await processPhoto(site, id)).json()).toEqual({
        state: 'refused',
        refusal_code: refusal,
      });
    expect((await site.service.storage.from('photos').exists(`incoming/${id}`)).data).toBe(false);
  }
  expect((await processPhoto(site, randomUUID())).status).toBe(404);
  const { pid } = JSON.parse(await readFile(join(site.data, 'backend.json'), 'utf8')) as { pid: number };
  // While the backend pauses, requests are under way at the same time.
  process.kill(pid, 'SIGSTOP');
  const requests = Array.from({ length: 30 }, () => processPhoto(site, randomUUID()));
  await Promise.race(requests).finally(() => process.kill(pid, 'SIGCONT'));
  const responses = await Promise.all(requests);
  const limited = responses.filter(({ status }) => status !== 404);
  expect(limited.length, 'requests over the limit of one network').toBeGreaterThan(0);
  for (const answer of limited) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await answer.json()).toMatchObject({ error: { code: 'rate_limited' } });
  }
  const crossOrigin = { method: 'POST', headers: { origin: 'https://elsewhere.example' } };
  expect((await get(site, `/api/photos/${randomUUID()}`, crossOrigin)).status).toBe(403);
});

test('processes each unrequested photo once when two servers look for photos', async ({ site, newsroom }) => {
  vi.stubEnv('STOPPRESS_BACKEND_URL', site.url);
  vi.stubEnv('PUBLIC_SUPABASE_URL', site.url);
  vi.stubEnv('PUBLIC_SUPABASE_PUBLISHABLE_KEY', site.publishableKey);
  vi.stubEnv('SUPABASE_SECRET_KEY', site.secretKey);
  const ids = [await announcePhoto(newsroom), await announcePhoto(newsroom)];
  for (const id of ids) await uploadPhoto(newsroom, id, await makePhoto(1200, 900));
  onTestFinished(startImageProcessing(200));
  await processPhoto(site, ids[0] ?? '');
  await vi.waitFor(async () => {
    const { data } = await site.service.from('photos').select('state, refusal_code').in('id', ids);
    expect(data).toEqual(ids.map(() => ({ state: 'ready', refusal_code: null })));
    const sent = ids.map((id) => site.service.storage.from('photos').exists(`incoming/${id}`));
    expect((await Promise.all(sent)).map(({ data }) => data)).toEqual([false, false]);
  }, 10_000);
  expect(errorLines(site)).toEqual([]);
});

test('processes a photo again after its worker was killed twice', async ({ site, newsroom }) => {
  const id = await announcePhoto(newsroom);
  // It takes some seconds, so that its worker is found at work.
  await uploadPhoto(newsroom, id, await makeSlowPhoto(), 'image/png');
  const isWorker = ({ name }: { name: string }) => name === 'image worker';
  for (const _kill of [1, 2]) {
    const answer = processPhoto(site, id);
    const worker = await vi.waitUntil(() => processesOf(site.pid).find(isWorker), { timeout: 15_000 });
    killAll([worker.pid]);
    expect(await (await answer).json()).toEqual({ state: 'uploading', refusal_code: null });
  }
  expect(await (await processPhoto(site, id)).json()).toEqual({ state: 'ready', refusal_code: null });
});

/** Submits a form with a file, as a browser does. */
async function sendPicture(jar: CookieJar, path: string, fields: Record<string, string>, picture: Buffer) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('file', new Blob([Uint8Array.from(picture)], { type: 'image/jpeg' }), 'dam.jpg');
  return jar.post(path, body);
}

test('finds a photo in the library and replaces it everywhere, without script', async ({
  site,
  newsroom,
}) => {
  const { people, coverage } = newsroom;
  const jar = await signInWithCookies(site.url, people.reporter);
  const page = async (path: string) => (await jar.get(path)).text();
  const { id, block } = await addPhoto(site, newsroom);
  const old = await newsroom.publish({ body: [paragraph('It rises.'), block] });
  const update_id = randomUUID();
  await call(people.reporter.client, 'save_update', {
    update_id,
    coverage_id: coverage.id,
    content: { body: [block] },
  });

  const results = await page('/desk/photos?q=quáy+river');
  expect(results).toContain(`href="/desk/photos/${id}"`);
  expect(results).toContain('In 2 updates, 1 of them published');
  expect(await page(`/desk/photos?which=unused&coverage=${coverage.id}`)).not.toContain(
    `/desk/photos/${id}"`,
  );
  const path = `/desk/photos/${id}`;
  const file = await page(path);
  expect(file).toContain('Changes 2 updates, 1 of them published.');
  expect(file).toContain(`href="/live/${coverage.slug}/${old.number}"`);
  expect((await jar.get(`/desk/photos/${randomUUID()}`)).status).toBe(404);

  const texts = { alt: 'The quay', caption: '', credit: '', seen: seenField(file) };
  expect(redirectOf(await jar.post(path, { ...texts, act: 'words' }))).toEqual([
    303,
    `${path}?done=words&updates=0&published=0`,
  ]);
  texts.seen = seenField(await page(path));
  const withoutAlt = await jar.post(path, { ...texts, alt: ' ', act: 'words' });
  expect([withoutAlt.status, await withoutAlt.text()]).toEqual([
    422,
    expect.stringContaining('id="words-alt-problem"'),
  ]);

  const replacing = { ...texts, alt: 'The right quay', act: 'replace', tell: 'correction', note: '' };
  const withoutNote = await sendPicture(jar, path, replacing, await makePhoto());
  expect([withoutNote.status, await withoutNote.text()]).toEqual([
    422,
    expect.stringContaining('id="replace-note-problem"'),
  ]);
  const broken = Buffer.from('GIF89a');
  const noted = { ...replacing, note: 'It showed another quay.' };
  const damaged = await sendPicture(jar, path, noted, broken);
  expect([damaged.status, await damaged.text()]).toEqual([415, expect.stringContaining('id="file-problem"')]);
  const done = await sendPicture(jar, path, noted, await makePhoto(1200, 900));
  const [status, to] = redirectOf(done);
  expect([status, to]).toEqual([303, expect.stringMatching(/done=replace&updates=2&published=1$/)]);
  const other = String(to).slice('/desk/photos/'.length, '/desk/photos/'.length + 36);
  expect(await page(String(to))).toContain('Replaced in 2 updates, 1 of them published.');
  await expectRemoved(site, id);
  const live = await vi.waitFor(async () => {
    const now = await pageOf(site, newsroom);
    expect(now).toContain(`/photos/${other}/480`);
    return now;
  }, INVALIDATION_MS);
  expect(live).toContain('It showed another quay.');
  expect(live).not.toContain(id);
  expect(await statuses(site, other)).toEqual([200, 200, 200]);
  // The desk still serves the earlier photo.
  expect((await jar.get(`${path}/480`)).status).toBe(200);
  expect(await page(path)).toContain('Version 1 showed it.');
});

test('does not overwrite the texts that another person saved meanwhile', async ({ site, newsroom }) => {
  const { people, coverage } = newsroom;
  const photo_id = await announcePhoto(newsroom);
  await newsroom.publish({ body: [paragraph('It rises.'), { type: 'photo', photo: photo_id }] });
  const path = `/desk/photos/${photo_id}`;
  const textsOf = async () =>
    (await site.service.from('photos').select('alt, caption, credit').eq('id', photo_id).single()).data;
  const jar = await signInWithCookies(site.url, people.reporter);
  const loaded = { ...(await textsOf()), seen: seenField(await (await jar.get(path)).text()) };
  const theirs = { alt: ALT, caption: 'Harrow Bridge at dawn', credit: 'A. Reporter' };
  await call(people.editor.client, 'save_photo', { photo_id, coverage_id: coverage.id, content: theirs });

  const mine = { ...loaded, alt: 'The lower quay' };
  for (const act of ['words', 'replace']) {
    const conflict = await jar.post(path, { ...mine, act, tell: 'revision', arrived: randomUUID() });
    const page = await conflict.text();
    expect(conflict.status).toBe(409);
    expect(page).toContain('The lower quay</textarea>');
    expect(page).toContain(settings.meanwhile(theirs.caption));
    expect(await textsOf()).toEqual(theirs);
    if (act === 'replace') mine.seen = seenField(page);
  }

  // Sent twice, as by a double click.
  for (let n = 0; n < 2; n++) {
    expect((await jar.post(path, { ...mine, act: 'words' })).status).toBe(303);
  }
  expect(await textsOf()).toEqual({ ...theirs, alt: 'The lower quay', caption: 'Harrow Bridge at noon' });
});

test('removes a photo from every page, for all people, with its files', async ({ site, newsroom }) => {
  const { people, coverage } = newsroom;
  const { id, block } = await addPhoto(site, newsroom);
  const update = await newsroom.publish({ body: [paragraph('It rises.'), block] });
  const path = `/desk/photos/${id}`;
  const [reporter, moderator, reader] = await Promise.all(
    [people.reporter, people.moderator, people.reader].map((one) => signInWithCookies(site.url, one)),
  );
  expect((await reader?.get('/desk/photos'))?.status).toBe(403);
  expect((await reader?.get(path))?.status).toBe(404);
  expect((await get(site, path, { redirect: 'manual' })).status).toBe(303);
  const moderatorPage = await (await moderator?.get(path))?.text();
  expect(moderatorPage).toContain(ALT);
  expect(moderatorPage).not.toContain('<button type="submit" name="act"');
  const refused = await moderator?.post(path, { act: 'remove', tell: 'revision' });
  expect(refused?.status).toBe(403);
  const etag = (await get(site, `/photos/${id}/480`)).headers.get('etag') ?? '';

  expect((await reporter?.post(path, { act: 'remove' }))?.status).toBe(422);
  const removed = await reporter?.post(path, {
    act: 'remove',
    tell: 'correction',
    note: 'Not ours to show.',
  });
  expect(removed && redirectOf(removed)).toEqual([303, `${path}?done=remove&updates=1&published=1`]);
  expect(await (await reporter?.get(path))?.text()).toContain(
    'This photo was removed for readers and for the desk',
  );
  await expectRemoved(site, id);
  expect((await get(site, `/photos/${id}/480`, { headers: { 'if-none-match': etag } })).status).toBe(404);
  for (const jar of [reporter, await signInWithCookies(site.url, people.owner)]) {
    expect((await jar?.get(`${path}/480`))?.status).toBe(404);
  }
  await vi.waitFor(async () => {
    const now = await pageOf(site, newsroom);
    expect(now).toContain('Not ours to show.');
    expect(now).not.toContain(id);
  }, INVALIDATION_MS);
  for (const rest of [`/${update.number}`, `/changes?after=${update.seq}`]) {
    expect(await pageOf(site, newsroom, rest)).not.toContain(id);
  }
  vi.stubEnv('STOPPRESS_BACKEND_URL', site.url);
  vi.stubEnv('PUBLIC_SUPABASE_URL', site.url);
  vi.stubEnv('PUBLIC_SUPABASE_PUBLISHABLE_KEY', site.publishableKey);
  vi.stubEnv('SUPABASE_SECRET_KEY', site.secretKey);
  const bucket = site.service.storage.from('photos');
  // The website deletes unused photos on a schedule; this does not wait for it.
  await deleteUnusedPhotos();
  const remaining = WIDTHS.map((width) => bucket.exists(`renditions/${id}/${width}`));
  expect((await Promise.all(remaining)).map(({ data }) => data)).toEqual([false, false, false]);
  const { data } = await site.service.from('photos').select('state, renditions').eq('id', id).single();
  expect(data).toEqual({ state: 'removed', renditions: [] });
  const rejected = await call(people.editor.client, 'save_update', {
    update_id: randomUUID(),
    coverage_id: coverage.id,
    content: { body: [block] },
  }).catch((error) => error);
  expect(rejected).toMatchObject({ message: expect.stringContaining('invalid') });
});
