import { createHash, randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { LIMITS } from '../../src/lib/domain/limits.ts';
import { desk, running } from '../../src/lib/i18n/en/desk.ts';
import { newsroomSettings, settings, surge } from '../../src/lib/i18n/en/settings.ts';
import { cookieJar, redirectOf, seenField, signInWithCookies } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';
import { sendTip } from '../support/tips.ts';

// Any load switches this site to surge mode.
const test = base.extend('environment', { STOPPRESS_SURGE_AT: '0.001' });

/** Hidden fields of the forms on a page, as a browser would send them back. */
function hiddenFields(page: string): Record<string, string> {
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

describe('desk overview', () => {
  test('redirects visitors to the sign-in page with the way back', async ({ site, newsroom }) => {
    for (const path of ['/desk', '/desk/new', '/desk/tips', `/desk/${newsroom.coverage.slug}`]) {
      const answer = await cookieJar(site.url).get(path);
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`/sign-in?${new URLSearchParams({ next: path })}`);
    }
  });

  test('explains to readers that the desk is not theirs', async ({ site, newsroom }) => {
    const jar = await signInWithCookies(site.url, newsroom.people.reader);
    for (const path of ['/desk', '/desk/new', `/desk/${newsroom.coverage.slug}`]) {
      const answer = await jar.get(path);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain(desk.forbidden.title);
    }
  });

  test('shows tips to moderators and not to lower roles', async ({ site, newsroom }) => {
    const { slug } = newsroom.coverage;
    const id = await sendTip(site, { body: 'Seen at the weir.', contact: 'ada@example.org', coverage: slug });
    for (const role of ['reader', 'contributor', 'reporter'] as const) {
      const answer = await (await signInWithCookies(site.url, newsroom.people[role])).get('/desk/tips');
      expect(answer.status, role).toBe(403);
      expect(await answer.text()).not.toContain('Seen at the weir.');
    }
    const moderator = await signInWithCookies(site.url, newsroom.people.moderator);
    const read = async (query: string) => (await moderator.get(`/desk/tips${query}`)).text();
    expect(await read('')).toContain(`id="${id}"`);
    expect(await read(`?coverage=${slug}&query=weir`)).toContain('mailto:ada@example.org');
    for (const query of [
      '?view=spam',
      '?query=nobody-says-this',
      `?coverage=${slug}&before=2020-01-01T00:00:00Z,${id}`,
    ])
      expect(await read(query), query).not.toContain('Seen at the weir.');
    // Meaningless parameters are ignored.
    expect(await read('?view=x&coverage=No%20slug&before=x')).toContain('Seen at the weir.');
  });

  test('shows staff every coverage including drafts, and contributors only their own', async ({
    site,
    newsroom,
  }) => {
    const { editor, reporter, contributor } = newsroom.people;
    const slug = `draft-${randomUUID().slice(0, 8)}`;
    const content = { slug, headline: 'Not yet for anybody' };
    await call(editor.client, 'create_coverage', { coverage_id: randomUUID(), content });
    const update = await newsroom.publish();
    expect(update.number).toBe(1);

    const all = await (await (await signInWithCookies(site.url, reporter)).get('/desk')).text();
    expect(all).toContain(`/desk/${slug}`);
    expect(all).toContain(`/desk/${newsroom.coverage.slug}`);
    expect(all).toContain(desk.overview.updates(1));
    expect(all).not.toContain('/desk/new');

    const jar = await signInWithCookies(site.url, contributor);
    const theirs = await (await jar.get('/desk')).text();
    expect(theirs).toContain(`/desk/${newsroom.coverage.slug}`);
    expect(theirs).not.toContain(`/desk/${slug}`);
    expect((await jar.get(`/desk/${slug}`)).status).toBe(404);
  });

  test('refuses a contributor whose membership expired', async ({ site, newsroom }) => {
    const { editor, contributor } = newsroom.people;
    const jar = await signInWithCookies(site.url, contributor);
    const path = `/desk/${newsroom.coverage.slug}`;
    expect((await jar.get(path)).status).toBe(200);
    await call(editor.client, 'set_coverage_member', {
      coverage_id: newsroom.coverage.id,
      person_id: contributor.id,
      expires_at: new Date(Date.now() - 1000).toISOString(),
    });
    expect((await jar.get(path)).status).toBe(403);
    expect(await (await jar.get('/desk')).text()).not.toContain(path);
  });
});

describe('new coverage', () => {
  test('is created once without script, with a suggested slug and times in its zone', async ({
    site,
    people,
  }) => {
    const jar = await signInWithCookies(site.url, people.editor);
    const headline = `Gale ${randomUUID().slice(0, 8)}`;
    const fields = {
      ...hiddenFields(await (await jar.get('/desk/new')).text()),
      headline,
      kicker: 'Weather',
      standfirst: 'One\r\ntwo',
      time_zone: 'Europe/Paris',
      language: 'fr',
      starts_at: '2026-12-24T18:00',
    };
    const slug = headline.toLowerCase().replace(' ', '-');
    for (let n = 0; n < 2; n++) {
      const answer = await jar.post('/desk/new', fields);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/desk/${slug}`]);
    }
    const { data } = await site.service.from('coverages').select('*').eq('headline', headline);
    expect(data).toEqual([
      expect.objectContaining({
        slug,
        state: 'draft',
        kicker: 'Weather',
        standfirst: 'One\ntwo',
        time_zone: 'Europe/Paris',
        language: 'fr',
        created_by: people.editor.id,
      }),
    ]);
    expect(new Date(data?.[0].starts_at).toISOString()).toBe('2026-12-24T17:00:00.000Z');
    expect((await jar.get(`/desk/${slug}`)).status).toBe(200);
  });

  test.for([
    ['headline', { headline: 'x'.repeat(121) }],
    ['slug', { slug: 'Not A Slug' }],
    ['kicker', { kicker: 'x'.repeat(41) }],
    ['standfirst', { standfirst: 'x'.repeat(301) }],
    ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['language', { language: 'klingon!' }],
    ['starts_at', { starts_at: 'soon' }],
  ] as const)(
    'shows an invalid %s at its field and keeps everything typed',
    async ([field, invalid], { site, people }) => {
      const jar = await signInWithCookies(site.url, people.editor);
      const fields: Record<string, string> = {
        ...hiddenFields(await (await jar.get('/desk/new')).text()),
        headline: 'A headline "kept"',
        slug: `kept-${randomUUID().slice(0, 8)}`,
        kicker: 'Kept kicker',
        standfirst: 'Kept standfirst',
        time_zone: 'Europe/Paris',
        language: 'fr',
        ...invalid,
      };
      const answer = await jar.post('/desk/new', fields);
      expect(answer.status).toBe(422);
      const page = await answer.text();
      expect(page).toMatch(new RegExp(`id="${field}"[^>]* aria-describedby="[^"]*${field}-problem"`));
      for (const value of Object.values(fields)) {
        expect(page).toContain(value.replaceAll('"', '&quot;'));
      }
      expect((await site.service.from('coverages').select('id').eq('id', fields.id)).data).toEqual([]);
    },
  );

  test('is refused for reporters, whatever they send', async ({ site, people }) => {
    const jar = await signInWithCookies(site.url, people.reporter);
    const id = randomUUID();
    const answer = await jar.post('/desk/new', {
      idempotency_key: randomUUID(),
      id,
      headline: 'Mine',
      slug: 'mine-mine',
    });
    expect(answer.status).toBe(403);
    expect((await site.service.from('coverages').select('id').eq('id', id)).data).toEqual([]);
  });
});

describe('desk of a coverage', () => {
  test('lists updates without script and names the features that need it', async ({ site, newsroom }) => {
    await newsroom.publish({ headline: 'Seen without a script' });
    const page = await (
      await (await signInWithCookies(site.url, newsroom.people.editor)).get(`/desk/${newsroom.coverage.slug}`)
    ).text();
    expect(page).toContain('<h3>Seen without a script</h3>');
    expect(page).toContain(desk.connection.noScript);
  });

  test('redirects from an earlier slug, and answers 404 for unknown ones', async ({ site, newsroom }) => {
    const { editor } = newsroom.people;
    const slug = `renamed-${randomUUID().slice(0, 8)}`;
    await call(editor.client, 'save_coverage', {
      coverage_id: newsroom.coverage.id,
      version: 1,
      content: { slug },
    });
    const jar = await signInWithCookies(site.url, editor);
    const moved = await jar.get(`/desk/${newsroom.coverage.slug}`);
    expect(moved.headers.get('location')).toBe(`/desk/${slug}`);
    expect((await jar.get('/desk/there-is-none')).status).toBe(404);
    expect((await jar.get('/desk/%00')).status).toBe(404);
  });

  test('contains no token and no key', async ({ site, newsroom }) => {
    const jar = await signInWithCookies(site.url, newsroom.people.editor);
    const page = await (await jar.get(`/desk/${newsroom.coverage.slug}`)).text();
    expect(page).not.toMatch(/eyJ[\w-]{20,}/);
    expect(page).not.toContain(site.secretKey);
  });
});

describe('reader follow mode', () => {
  const rowOf = async ({ service }: TestSite) =>
    (await service.from('site').select('surge, surge_since, offline_pages').single()).data;
  const surgeAttributes = `data-follow="checks" data-interval="${LIMITS.surge_interval_seconds}"`;
  const answerOf = async ({ url }: TestSite, slug: string) =>
    (await fetch(`${url}/live/${slug}/changes?after=0`)).text();

  test('switches to surge mode under load, and the desk shows it', { timeout: 60_000 }, async ({
    site,
    newsroom,
  }) => {
    const jar = await signInWithCookies(site.url, newsroom.people.reporter);
    const read = async () => (await jar.get('/desk')).text();
    await expect.poll(read, { timeout: 45_000 }).toContain(surge.now.auto[1]);
    expect(await answerOf(site, newsroom.coverage.slug)).toContain(surgeAttributes);
  });

  test('is set by an editor at the desk, repeatedly and at once', async ({ site, newsroom }) => {
    const jar = await signInWithCookies(site.url, newsroom.people.editor);
    const set = (mode: string) => jar.post('/desk', { mode });
    const read = async () => (await jar.get('/desk')).text();
    expect(await read()).toContain('value="auto" checked');
    for (const [mode, words, isSurge] of [
      ['off', surge.now.usual, false],
      ['on', surge.now.on[1], true],
      ['off', surge.now.usual, false],
    ] as const) {
      expect(redirectOf(await set(mode))).toEqual([303, '/desk#surge']);
      const page = await read();
      expect(page).toContain(words);
      expect(page).toContain(`value="${mode}" checked`);
      const ofCoverage = await (await jar.get(`/desk/${newsroom.coverage.slug}/settings`)).text();
      expect(ofCoverage.includes(settings.following.surge)).toBe(isSurge);
      // An earlier response stays in the cache for two seconds.
      await expect
        .poll(async () => (await answerOf(site, newsroom.coverage.slug)).includes(surgeAttributes), {
          timeout: 10_000,
        })
        .toBe(isSurge);
    }
    const before = await rowOf(site);
    const wrong = await set('never');
    expect([wrong.status, (await wrong.text()).includes(surge.choose)]).toEqual([422, true]);
    const reporter = await signInWithCookies(site.url, newsroom.people.reporter);
    expect(await (await reporter.get('/desk')).text()).not.toContain(surge.title);
    const refused = await reporter.post('/desk', { mode: 'on' });
    expect([refused.status, (await refused.text()).includes('role="alert"')]).toEqual([403, true]);
    expect(await rowOf(site)).toEqual(before);
  });

  test("lets only the owner allow copies on readers' devices", async ({ site, people }) => {
    const [owner, editor] = [
      await signInWithCookies(site.url, people.owner),
      await signInWithCookies(site.url, people.editor),
    ];
    const fields = { reader_follow_mode: 'auto', check_interval_seconds: '10', quiet_hours: '2' };
    const page = '/desk/site/advanced';
    for (const [more, offline_pages] of [
      [{}, false],
      [{ offline_pages: 'on' }, true],
    ] as const) {
      const seen = seenField(await (await owner.get(page)).text());
      const answer = await owner.post(page, { ...fields, ...more, seen });
      expect(redirectOf(answer)).toEqual([303, `${page}?done=advanced`]);
      expect(await rowOf(site)).toMatchObject({ offline_pages });
      const html = await (await owner.get(`${page}?done=advanced`)).text();
      expect([
        html.includes(newsroomSettings.done.advanced),
        /offline_pages"[^>]* checked/.test(html),
      ]).toEqual([true, offline_pages]);
    }
    expect((await editor.post(page, fields)).status).toBe(403);
    expect(await rowOf(site)).toMatchObject({ offline_pages: true });
  });
});

describe('site settings', () => {
  test('offers a readable accent colour, and shows the chosen colours and the about text', async ({
    site,
    people,
  }) => {
    const owner = await signInWithCookies(site.url, people.owner);
    const send = async (section: string, fields: Record<string, string>) => {
      const path = `/desk/site/${section}`;
      return owner.post(path, { ...fields, seen: seenField(await (await owner.get(path)).text()) });
    };
    const front = async () => (await fetch(site.url)).text();

    const faint = await send('look', { accent: '#7ab8ff', accent_dark: '' });
    const page = await faint.text();
    expect(faint.status).toBe(422);
    expect(page).toContain('value="#7ab8ff"');
    const [, readableAccent = ''] = /name="take_accent" value="(#[0-9a-f]{6})"/.exec(page) ?? [];
    const saved = await send('look', {
      accent: '#7ab8ff',
      accent_dark: '',
      take_accent: readableAccent,
    });
    expect(redirectOf(saved)).toEqual([303, '/desk/site/look?done=look']);
    await expect.poll(front, { timeout: 10_000 }).toContain(`--accent:${readableAccent}`);

    // The browser ignores the colours without their hash in the policy.
    const policy = (await fetch(site.url)).headers.get('content-security-policy') ?? '';
    const [, style = ''] = /<style>(@media screen[^<]*)<\/style>/.exec(await front()) ?? [];
    expect(policy).toContain(createHash('sha256').update(style).digest('base64'));
    await send('look', { accent: '', accent_dark: '' });
    await expect.poll(front, { timeout: 10_000 }).not.toContain(`--accent:${readableAccent}`);

    const about = 'We are **four** people.\n\n- by the river';
    const preview = await (await send('about', { about, preview: 'on' })).text();
    expect(preview).toContain('<strong>four</strong>');
    const read = async () => (await fetch(`${site.url}/about`)).text();
    expect(await read()).not.toContain('<strong>four</strong>');
    expect((await send('about', { about })).status).toBe(303);
    await expect.poll(read, { timeout: 10_000 }).toMatch(/<strong>four<\/strong>.*<li>by the river/s);
  });
});

describe('coverage settings', () => {
  const stateOf = async ({ service }: TestSite, id: string) =>
    (await service.from('coverages').select('*, coverage_topics(topics(slug))').eq('id', id).single()).data;
  const withSeen = (page: string, part: string, fields: Record<string, string>) => ({
    form: part,
    seen: seenField(page, part),
    ...fields,
  });

  test('is limited to editors, and shows the text that another person saved meanwhile', async ({
    site,
    newsroom,
  }) => {
    const { editor, reporter } = newsroom.people;
    const path = `/desk/${newsroom.coverage.slug}/settings`;
    const jar = await signInWithCookies(site.url, editor);
    const reporterJar = await signInWithCookies(site.url, reporter);
    expect((await reporterJar.get(path)).status).toBe(403);
    expect((await reporterJar.post(path, { form: 'words', headline: 'Mine' })).status).toBe(403);
    const before = await (await jar.get(path)).text();
    const mine = withSeen(before, 'words', { headline: 'My headline', kicker: '', standfirst: '' });

    // A change of the summary is no conflict.
    await newsroom.setSummary([]);
    await call(editor.client, 'save_coverage', {
      coverage_id: newsroom.coverage.id,
      version: (await stateOf(site, newsroom.coverage.id)).version,
      content: { headline: 'Their headline' },
    });
    const conflict = await jar.post(path, mine);
    const page = await conflict.text();
    expect(conflict.status).toBe(409);
    expect(page).toContain('value="My headline"');
    expect(page).toContain(settings.meanwhile('Their headline'));
    expect((await stateOf(site, newsroom.coverage.id)).headline).toBe('Their headline');

    const again = withSeen(page, 'words', { headline: 'My headline', kicker: 'Now', standfirst: '' });
    for (let n = 0; n < 2; n++) {
      expect(redirectOf(await jar.post(path, again))).toEqual([303, `${path}?done=words#words`]);
    }
    expect(await stateOf(site, newsroom.coverage.id)).toMatchObject({
      headline: 'My headline',
      kicker: 'Now',
    });
    const visitor = cookieJar(site.url);
    const signedOut = await visitor.post(path, mine);
    expect([signedOut.status, (await signedOut.text()).includes('value="My headline"')]).toEqual([401, true]);
  });

  test('moves a coverage to an unused slug and redirects from the old one', async ({ site, newsroom }) => {
    const { slug, id } = newsroom.coverage;
    const path = `/desk/${slug}/settings`;
    const jar = await signInWithCookies(site.url, newsroom.people.editor);
    const page = await (await jar.get(path)).text();
    const usedSlug = `used-${randomUUID().slice(0, 8)}`;
    const content = { slug: usedSlug, headline: 'Another' };
    await call(newsroom.people.editor.client, 'create_coverage', { coverage_id: randomUUID(), content });
    expect((await jar.post(path, withSeen(page, 'address', { slug: usedSlug }))).status).toBe(422);
    const moved = `${slug}-moved`;
    const answer = await jar.post(path, withSeen(page, 'address', { slug: moved }));
    expect(redirectOf(answer)).toEqual([303, `/desk/${moved}/settings?done=address#address`]);
    const old = () => fetch(`${site.url}/live/${slug}`, { redirect: 'manual' });
    await expect.poll(async () => (await old()).status, { timeout: 10_000 }).toBe(301);
    expect((await old()).headers.get('location')).toBe(`/live/${moved}`);
    expect((await stateOf(site, id)).slug).toBe(moved);
  });

  test('sets time zone, topics, contributors and state', async ({ site, newsroom }) => {
    const { slug, id } = newsroom.coverage;
    const path = `/desk/${slug}/settings`;
    const { editor, contributor } = newsroom.people;
    const jar = await signInWithCookies(site.url, editor);
    const send = async (part: string, fields: Record<string, string>) =>
      jar.post(path, withSeen(await (await jar.get(path)).text(), part, fields));
    const place = { time_zone: 'Africa/Cairo', language: 'ar', starts_at: '2026-12-24T18:00' };
    expect((await send('place', place)).status).toBe(303);
    expect(await (await jar.get(path)).text()).toContain('<option value="ar" selected>Arabic</option>');
    expect(await stateOf(site, id)).toMatchObject({ language: 'ar', starts_at: '2026-12-24T16:00:00+00:00' });

    const topic = `Floods ${randomUUID().slice(0, 8)}`;
    expect((await send('make_topic', { name: topic, topic_slug: '', description: '' })).status).toBe(303);
    const topicSlug = topic.toLowerCase().replace(' ', '-');
    expect((await stateOf(site, id)).coverage_topics).toEqual([{ topics: { slug: topicSlug } }]);
    const renamed = { name: `${topic} now`, topic_slug: topicSlug, description: 'High water.' };
    const form = await (await jar.get(`${path}?topic=${topicSlug}`)).text();
    expect((await jar.post(path, withSeen(form, 'topic', renamed))).status).toBe(303);
    expect(await (await jar.get(path)).text()).toContain(`${topic} now`);
    expect((await send('topics', {})).status).toBe(303);
    expect((await stateOf(site, id)).coverage_topics).toEqual([]);

    const results = await (await jar.get(`${path}?person=${contributor.handle}`)).text();
    expect(results).toMatch(
      new RegExp(`aria-label="${settings.people.searchResults}".*${contributor.handle}`, 's'),
    );
    const person = contributor.id;
    expect((await send('extended', { person, day: '2020-01-01' })).status).toBe(422);
    expect((await send('extended', { person, day: '2040-01-01' })).status).toBe(303);
    const expiry = async () =>
      (await site.service.from('coverage_members').select('expires_at').eq('coverage_id', id).single()).data
        ?.expires_at;
    expect(await expiry()).toBe('2040-01-01T21:59:00+00:00');
    expect((await send('removed', { person })).status).toBe(303);
    expect(Date.parse(await expiry())).toBeLessThan(Date.now() + 60_000);

    expect(redirectOf(await send('state', { state: 'live' }))).toEqual([303, '/desk']);
    expect(redirectOf(await send('state', { state: 'paused' }))).toEqual([303, '/desk']);
    expect((await stateOf(site, id)).state).toBe('paused');
    expect(await (await jar.get('/desk')).text()).not.toContain(running.silent.title);
  });
});
