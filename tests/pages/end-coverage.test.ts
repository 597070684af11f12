import { expect } from 'vitest';
import { running } from '../../src/lib/i18n/en/desk.ts';
import { cookieJar, redirectOf, signInWithCookies } from '../support/http-client.ts';
import { call, type Newsroom } from '../support/newsroom.ts';
import { test } from '../support/test.ts';

const stateOf = async ({ people, coverage }: Newsroom) =>
  (await people.editor.client.from('coverages').select('state').eq('id', coverage.id).single()).data?.state;

test('a coverage does not end without a confirmation, nor by a person who may not end it', async ({
  site,
  newsroom,
}) => {
  const { slug } = newsroom.coverage;
  const path = `/desk/${slug}/end`;
  const visitor = await cookieJar(site.url).get(path);
  expect(redirectOf(visitor)).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
  const reporter = await signInWithCookies(site.url, newsroom.people.reporter);
  expect((await reporter.get(path)).status).toBe(403);
  expect((await reporter.post(path, {})).status).toBe(403);

  const editor = await signInWithCookies(site.url, newsroom.people.editor);
  const atOnce = await editor.post(`/desk/${slug}/settings`, { form: 'state', state: 'ended' });
  expect(atOnce.status).toBe(422);
  expect((await editor.post(path, {}, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await editor.get('/desk/there-is-none/end')).status).toBe(404);
  expect((await editor.post('/desk/there-is-none/end', {})).status).toBe(404);

  const page = await (await editor.get(path)).text();
  expect(page).toContain(running.confirm.ended.title);
  expect(page).toContain('The river rises at Harrow Bridge');
  expect(page).toContain(running.means.ended);
  expect(await stateOf(newsroom)).toBe('live');
});

test('ends a coverage after the confirmation, once', async ({ site, people, newsroom }) => {
  const { slug, id } = newsroom.coverage;
  const jar = await signInWithCookies(site.url, people.editor);
  const content = { slug: `${slug}-x` };
  await call(people.editor.client, 'save_coverage', { coverage_id: id, version: 1, content });
  // After a move the page asks again.
  expect(redirectOf(await jar.post(`/desk/${slug}/end`, {}))).toEqual([303, `/desk/${slug}-x/end`]);
  expect(await stateOf(newsroom)).toBe('live');
  expect(redirectOf(await jar.post(`/desk/${slug}-x/end`, {}))).toEqual([303, '/desk']);
  expect(await stateOf(newsroom)).toBe('ended');
  for (const answer of [await jar.get(`/desk/${slug}-x/end`), await jar.post(`/desk/${slug}-x/end`, {})])
    expect(redirectOf(answer)).toEqual([303, `/desk/${slug}-x`]);
});
