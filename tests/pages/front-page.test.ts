import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { expect } from 'vitest';
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { signInWithCookies } from '../support/http-client.ts';
import { call, createLiveCoverage, paragraph } from '../support/newsroom.ts';
import { ALT, addPhoto } from '../support/photos.ts';
import { test as base } from '../support/test.ts';
import { get } from './reading-context.ts';

// The order of the front page belongs to the whole site.
const test = base.extend('ownSite', true);

const field = (id: string) => `position-${id}`;

test('an editor chooses the lead, and the front page shows it first', async ({ site, people, newsroom }) => {
  const other = await createLiveCoverage(people);
  const jar = await signInWithCookies(site.url, people.editor);
  expect(await (await jar.get('/desk')).text()).toContain('href="/desk/site/front-page"');
  /** The slugs of the front page in their order. */
  const order = async () => {
    const { main } = await get(site, '/');
    return [...main.matchAll(/<h[23][^>]*><a href="\/live\/([^"]+)"/g)].map(([, slug]) => slug);
  };
  for (const [first, second] of [
    [newsroom, other],
    [other, newsroom],
  ]) {
    if (!first || !second) continue;
    const answer = await jar.post('/desk/site/front-page', {
      [field(first.coverage.id)]: '1',
      [field(second.coverage.id)]: '3',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/desk/site/front-page?done']);
    await expect.poll(order).toEqual([first.coverage.slug, second.coverage.slug]);
  }
});

test('an arranged coverage stays in the form when thirty newer ones exist', async ({
  site,
  people,
  newsroom,
}) => {
  const jar = await signInWithCookies(site.url, people.editor);
  await jar.post('/desk/site/front-page', { [field(newsroom.coverage.id)]: '1' });
  await Promise.all(Array.from({ length: 30 }, () => createLiveCoverage(people)));
  const page = await (await jar.get('/desk/site/front-page')).text();
  expect(page.match(/name="position-/g)).toHaveLength(30);
  expect(page).toContain(`name="${field(newsroom.coverage.id)}"`);
});

test('the same position twice is refused at the field, and the choices remain', async ({
  site,
  people,
  newsroom,
}) => {
  const other = await createLiveCoverage(people);
  const jar = await signInWithCookies(site.url, people.editor);
  const before = await (await jar.get('/desk/site/front-page')).text();
  const answer = await jar.post('/desk/site/front-page', {
    [field(newsroom.coverage.id)]: '2',
    [field(other.coverage.id)]: '2',
  });
  const page = await answer.text();
  expect([answer.status, page.includes(desk.frontPage.repeated(2))]).toEqual([422, true]);
  expect(page.match(/<option value="2" selected/g)).toHaveLength(2);
  const { data } = await site.service.from('coverages').select('id').not('front_page_position', 'is', null);
  expect(data?.length).toBe(before.match(/<option value="[1-6]" selected/g)?.length ?? 0);
});

test('a coming coverage names its date once, with the weekday and time of its start', async ({
  site,
  people,
}) => {
  const coverage_id = randomUUID();
  const slug = `coming-${coverage_id.slice(0, 8)}`;
  const content = { slug, headline: 'The dyke opens', starts_at: '2999-01-01T10:00:00Z' };
  await call(people.editor.client, 'create_coverage', { coverage_id, content });
  await call(people.editor.client, 'set_coverage_state', { coverage_id, state: 'scheduled' });
  const item = async () => {
    const { main } = await get(site, '/');
    return main.split('<li>').find((part) => part.includes(`/live/${slug}"`)) ?? '';
  };
  await expect.poll(item).toContain('Starts Tuesday, ');
  expect((await item()).match(/>[^<]*2999/g)).toHaveLength(1);
});

test('a reporter may not arrange the front page', async ({ site, people, newsroom }) => {
  const jar = await signInWithCookies(site.url, people.reporter);
  const answer = await jar.post('/desk/site/front-page', { [field(newsroom.coverage.id)]: '1' });
  expect(answer.status).toBe(403);
  const { data } = await site.service
    .from('coverages')
    .select('front_page_position')
    .eq('id', newsroom.coverage.id);
  expect(data).toEqual([{ front_page_position: null }]);
});

test('the lead shows the photo of its newest key event, until its update is withdrawn', async ({
  site,
  people,
  newsroom,
}) => {
  const { id, block } = await addPhoto(site, newsroom);
  const update = await newsroom.publish({ headline: 'Over the wall', body: [block], key_event: true });
  await call(people.editor.client, 'arrange_front_page', { coverage_ids: [newsroom.coverage.id] });
  const lead = async () =>
    /<article class="box lead">[\s\S]*?<\/article>/.exec((await get(site, '/')).main)?.[0] ?? '';
  await expect.poll(lead).toContain(`src="/photos/${id}/480"`);
  expect(await lead()).toContain(ALT);
  await call(people.editor.client, 'withdraw_update', { update_id: update.id, reason: 'Not our photo.' });
  await expect.poll(lead).not.toContain('/photos/');
});

test('the lead shows the photo that an editor chose, until its update is withdrawn', async ({
  site,
  people,
  newsroom,
}) => {
  const [first, second] = [await addPhoto(site, newsroom), await addPhoto(site, newsroom)];
  await newsroom.publish({ headline: 'Over the wall', body: [first.block], key_event: true });
  const update = await newsroom.publish({ headline: 'The quay', body: [second.block] });
  await call(people.editor.client, 'arrange_front_page', { coverage_ids: [newsroom.coverage.id] });
  const { slug } = newsroom.coverage;
  const jar = await signInWithCookies(site.url, people.editor);
  const settings = await (await jar.get(`/desk/${slug}/settings`)).text();
  expect(settings).toMatch(new RegExp(`name="lead_photo" value="${second.id}"`));
  const answer = await jar.post(`/desk/${slug}/settings`, {
    form: 'lead',
    seen: JSON.stringify({ lead_photo: '' }),
    lead_photo: second.id,
  });
  expect(answer.headers.get('location')).toBe(`/desk/${slug}/settings?done=lead#lead`);
  const lead = async () =>
    /<article class="box lead">[\s\S]*?<\/article>/.exec((await get(site, '/')).main)?.[0] ?? '';
  await expect.poll(lead).toContain(`src="/photos/${second.id}/480"`);
  const image = async () =>
    /property="og:image" content="([^"]*)"/.exec((await get(site, `/live/${slug}`)).html)?.[1];
  await expect.poll(image).toContain(`/live/${slug}/card.jpg?v=`);
  const shared = await image();
  const picture = await fetch(shared ?? '');
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({
    format: 'jpeg',
    width: 1200,
    height: 630,
  });
  await call(people.editor.client, 'withdraw_update', { update_id: update.id, reason: 'Not our photo.' });
  await expect.poll(lead).toContain(`src="/photos/${first.id}/480"`);
  // The other photo is another image.
  await expect.poll(image).not.toBe(shared);
  expect(await image()).toContain(`/live/${slug}/card.jpg?v=`);
});

test('an urgent update of a live coverage stands on the front page until it is withdrawn', async ({
  site,
  people,
  newsroom,
}) => {
  const headline = 'Leave Quay Street now';
  const update_id = randomUUID();
  const content = { headline, urgency: 'urgent', body: [paragraph('Go to the school hall.')] };
  const { number } = await call<{ number: number }>(people.editor.client, 'publish_update', {
    update_id,
    coverage_id: newsroom.coverage.id,
    content,
  });
  const urgent = async () =>
    /<p class="urgent-line"[\s\S]*?<\/p>/.exec((await get(site, '/')).main)?.[0] ?? '';
  await expect.poll(urgent).toContain(headline);
  expect(await urgent()).toContain(`/live/${newsroom.coverage.slug}#update-${number}`);
  await call(people.editor.client, 'withdraw_update', { update_id, reason: 'Not true.' });
  await expect.poll(urgent).not.toContain(headline);
});

test('the alt text of a thumbnail is never markup', async ({ site, newsroom }) => {
  const { id, block } = await addPhoto(site, newsroom, '</noscript><img src="/x" onerror="alert(1)">');
  await newsroom.publish({ headline: 'A hostile picture', body: [block], key_event: true });
  const month = `/archive/${new Date().toISOString().slice(0, 7).replace('-', '/')}`;
  const page = async () => (await get(site, month)).html;
  await expect.poll(page).toContain(`/photos/${id}/480`);
  expect(await page()).not.toContain('</noscript><img');
});
