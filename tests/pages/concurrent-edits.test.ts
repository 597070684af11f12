import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { settings } from '../../src/lib/i18n/en/settings.ts';
import { redirectOf, seenField, signInWithCookies } from '../support/http-client.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { test as base } from '../support/test.ts';

// The tests change settings of the whole site.
const test = base.extend('ownSite', true);

test('does not overwrite site settings that another owner saved meanwhile', async ({ site, people }) => {
  const path = '/desk/site/identity';
  const valuesOf = async () =>
    (await site.service.from('site').select('name, tagline, publisher, contact').single()).data;
  const before = await valuesOf();
  const jar = await signInWithCookies(site.url, people.owner);
  const loaded = await (await jar.get(path)).text();
  const save = (content: object) => call(people.owner.client, 'save_site', { content });
  // A change of another part is no conflict.
  await save({ contact: 'desk@theirs.example', quiet_hours: 3 });

  const mine = { ...before, tagline: 'News of the river', seen: seenField(loaded) };
  const conflict = await jar.post(path, mine);
  const page = await conflict.text();
  expect(conflict.status).toBe(409);
  expect(page).toContain('value="News of the river"');
  expect(page).toContain(settings.meanwhile('desk@theirs.example'));
  expect(await valuesOf()).toEqual({ ...before, contact: 'desk@theirs.example' });

  const again = { ...mine, seen: seenField(page) };
  await save({ quiet_hours: 4 });
  // Sent twice, as by a double click.
  for (let n = 0; n < 2; n++) {
    expect(redirectOf(await jar.post(path, again))).toEqual([303, `${path}?done=identity`]);
  }
  expect(await valuesOf()).toEqual({ ...before, tagline: 'News of the river' });
});

test('detects a conflict after a preview, and shows the choices that another owner saved', async ({
  site,
  people,
}) => {
  const jar = await signInWithCookies(site.url, people.owner);
  const save = (content: object) => call(people.owner.client, 'save_site', { content });
  const about = '/desk/site/about';
  const seen = seenField(await (await jar.get(about)).text());
  await save({ about: [paragraph('Their text.')] });
  const preview = await (await jar.post(about, { about: 'My text.', seen, preview: 'on' })).text();
  const conflict = await jar.post(about, { about: 'My text.', seen: seenField(preview) });
  expect([conflict.status, await conflict.text()]).toEqual([
    409,
    expect.stringContaining(settings.meanwhile('Their text.')),
  ]);

  const advanced = '/desk/site/advanced';
  const mine = { reader_follow_mode: 'auto', check_interval_seconds: '12', quiet_hours: '2' };
  const loaded = seenField(await (await jar.get(advanced)).text());
  await save({ reader_follow_mode: 'checks', offline_pages: true });
  const page = await (await jar.post(advanced, { ...mine, seen: loaded })).text();
  expect(page).toContain(settings.meanwhile(desk.following.ways.checks));
  expect(page).toContain(settings.meanwhile(settings.checked));
  // The same accent colour can be typed in several ways.
  const look = '/desk/site/look';
  const colours = { accent: '#8A1C1C', accent_dark: '', seen: seenField(await (await jar.get(look)).text()) };
  for (let n = 0; n < 2; n++) expect((await jar.post(look, colours)).status).toBe(303);
});

test('does not overwrite a topic that another editor saved meanwhile', async ({ site, people, newsroom }) => {
  const editor = people.editor.client;
  const slug = `topic-${randomUUID().slice(0, 8)}`;
  await call(editor, 'save_topic', { slug, name: 'Floods', description: 'High water.' });
  const path = `/desk/${newsroom.coverage.slug}/settings?topic=${slug}`;
  const topicOf = async () =>
    (await site.service.from('topics').select('name, description').eq('slug', slug).single()).data;
  const jar = await signInWithCookies(site.url, people.editor);
  const seen = seenField(await (await jar.get(path)).text(), 'topic');
  await call(editor, 'save_topic', { slug, name: 'Floods', description: 'The flood of November.' });

  const mine = { form: 'topic', topic_slug: slug, name: 'High water', description: 'High water.', seen };
  const conflict = await jar.post(path, mine);
  const page = await conflict.text();
  expect(conflict.status).toBe(409);
  expect(page).toContain('value="High water"');
  expect(page).toContain(settings.meanwhile('The flood of November.'));
  expect(await topicOf()).toEqual({ name: 'Floods', description: 'The flood of November.' });

  const again = { ...mine, seen: seenField(page, 'topic') };
  for (let n = 0; n < 2; n++) expect((await jar.post(path, again)).status).toBe(303);
  expect(await topicOf()).toEqual({ name: 'High water', description: 'High water.' });
});

test('saves a settings form that was sent to a former slug', async ({ site, people, newsroom }) => {
  const { slug, id } = newsroom.coverage;
  const path = `/desk/${slug}/settings`;
  const jar = await signInWithCookies(site.url, people.editor);
  const loaded = await (await jar.get(path)).text();
  const moved = `${slug}-moved`;
  await call(people.editor.client, 'save_coverage', {
    coverage_id: id,
    version: 1,
    content: { slug: moved },
  });

  const words = { form: 'words', headline: 'The river falls', kicker: '', standfirst: '' };
  const saved = await jar.post(path, { ...words, seen: seenField(loaded, 'words') });
  expect(redirectOf(saved)).toEqual([303, `/desk/${moved}/settings?done=words#words`]);
  const { data } = await site.service.from('coverages').select('headline').eq('id', id).single();
  expect(data).toEqual({ headline: 'The river falls' });
  // The headline and the slug have changed since the page was loaded.
  const other = { ...words, headline: 'It falls', seen: seenField(loaded, 'words') };
  for (const [fields, typed, theirs] of [
    [other, 'It falls', 'The river falls'],
    [{ form: 'address', slug: `${slug}-mine`, seen: seenField(loaded, 'address') }, `${slug}-mine`, moved],
  ] as const) {
    const conflict = await jar.post(path, fields);
    const page = await conflict.text();
    expect(conflict.status).toBe(409);
    expect(page).toContain(`value="${typed}"`);
    expect(page).toContain(settings.meanwhile(theirs));
  }
  expect(redirectOf(await jar.get(path))).toEqual([303, `/desk/${moved}/settings`]);
});
