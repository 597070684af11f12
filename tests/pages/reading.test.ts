import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { shortDay } from '../../src/lib/domain/time.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { call, longParagraph, paragraph, publishUrgent } from '../support/newsroom.ts';
import { test } from '../support/test.ts';
import { ask, fill, get, live, read } from './reading-context.ts';

test('serves the same page with cookies and with unknown parameters', async ({ site, newsroom }) => {
  await newsroom.publish({ headline: 'One for all', key_event: true });
  for (const path of [
    '/',
    live(newsroom),
    live(newsroom, '/1'),
    `/people/${newsroom.people.reporter.handle}`,
    '/about',
  ]) {
    const plain = await ask(site, path);
    const withCookie = await ask(site, `${path}?fbclid=abc`, {
      Cookie: 'stoppress-session=base64-eyJhIjoxfQ; x=y',
    });
    for (const response of [plain, withCookie]) {
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(response.headers.get('vary')).toBe('accept-encoding');
    }
    // Except for the time of rendering.
    const bare = async (response: Response) =>
      (await response.text()).replace(/Page as of <time.*?<\/time>/, '').replace(/ data-made="[^"]*"/, '');
    expect(await bare(withCookie)).toBe(await bare(plain));
  }
});

test('shows the time and the zone of the coverage once', async ({ site, newsroom }) => {
  const { html } = await get(site, live(newsroom));
  expect(html).toMatch(/Updated <time datetime="[^"]+Z">\d\d:\d\d (GMT|IST)<\/time>/);
  expect(html).toMatch(/Page as of <time datetime="[^"]+Z">\d\d:\d\d<\/time>/);
  expect(html.match(/>[^<]*\b(GMT|IST)\b/g)).toHaveLength(1);
});

test('keeps the contents of older pages while updates are added', async ({ site, newsroom }) => {
  await fill(site, newsroom, 23);
  expect((await get(site, live(newsroom))).numbers).toEqual(Array.from({ length: 13 }, (_, n) => 23 - n));
  const cut = await get(site, live(newsroom, '?before=11'));
  expect(cut.numbers).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(cut.link('next')).toBeUndefined();
  expect(cut.link('prev')).toBe(live(newsroom));
  await fill(site, newsroom, 10);
  const again = await get(site, live(newsroom, '?before=11'));
  expect(again.numbers).toEqual(cut.numbers);
  expect(again.link('prev')).toBe(live(newsroom, '?before=21'));
});

test('reaches every update once over links, newest first and oldest first', async ({ site, newsroom }) => {
  await fill(site, newsroom, 34);
  await newsroom.withdraw(await newsroom.publish(), 'It was not so.');
  const walk = async (start: string) => {
    const numbers: number[] = [];
    for (let path: string | undefined = start; path; ) {
      const page = await get(site, path);
      numbers.push(...page.numbers);
      path = page.link('next');
    }
    return numbers;
  };
  const all = Array.from({ length: 35 }, (_, n) => n + 1);
  expect(await walk(live(newsroom, '?order=oldest'))).toEqual(all);
  expect(await walk(live(newsroom))).toEqual(all.toReversed());
});

test('shows state, summary, pinned update and ten key events with a link to all', async ({
  site,
  newsroom,
}) => {
  const first = await newsroom.publish({ headline: 'The bridge is shut' });
  for (let n = 1; n <= 11; n++) await newsroom.publish({ headline: `Event ${n}`, key_event: true });
  await newsroom.setSummary([paragraph('The bridge is shut and the river rises.')]);
  await newsroom.pin(first);
  const { main, numbers } = await get(site, live(newsroom));
  expect(main).toMatch(/<p id="status">.*Live/);
  expect(main).toMatch(
    /<section id="summary"(?![^>]* hidden)[\s\S]*The bridge is shut and the river rises\./,
  );
  expect(main).toMatch(/<section id="pinned"(?![^>]* hidden)[\s\S]*<h3>The bridge is shut<\/h3>/);
  const keyEvents = /<section id="key-events"[\s\S]*?<\/section>/.exec(main)?.[0] ?? '';
  expect(keyEvents.match(/<li>/g)).toHaveLength(10);
  expect(keyEvents).toContain(`href="${live(newsroom, '?show=key')}"`);
  expect(keyEvents).not.toContain('Event 1<');
  // The pinned update is also in the list, once.
  expect(numbers).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect((await get(site, live(newsroom, '?show=key'))).numbers).toEqual([
    12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
  ]);
});

test('names what the box of the pinned update leaves out', async ({ site, newsroom }) => {
  const rows = ['Road', 'Mill Lane'].map((text) => [[{ text }]]);
  const paragraphs = Array.from({ length: 8 }, (_, n) => longParagraph(`river ${n}`));
  const update = await newsroom.publish({ body: [...paragraphs, { type: 'table', rows }] });
  await newsroom.pin(update);
  const { main } = await get(site, live(newsroom));
  const pinned = /<section id="pinned"[\s\S]*?<\/section>/.exec(main)?.[0] ?? '';
  expect(pinned).not.toContain('Mill Lane');
  expect(pinned).toContain(`>${reader.pinnedPlace(['table'])}</a>`);
});

/** The newest update begins within this many bytes after the head, so that a slow connection shows it first. */
const FIRST_BYTES = 6 * 1024;

test('sends the newest update first after the head, before the scripts of islands', async ({
  site,
  newsroom,
}) => {
  for (let n = 1; n <= 19; n++) await newsroom.publish({ headline: `Event ${n}`, key_event: true });
  await newsroom.setSummary(Array.from({ length: 5 }, () => longParagraph('The summary')));
  await newsroom.pin(await newsroom.publish({ headline: 'The bridge is shut' }));
  await newsroom.publish({ body: [paragraph('The newest words.')] });
  const { html } = await get(site, live(newsroom));
  const body = html.slice(html.indexOf('</head>'));
  const before = body.slice(0, body.indexOf('The newest words.'));
  expect(Buffer.byteLength(before)).toBeLessThanOrEqual(FIRST_BYTES);
  expect(before).not.toMatch(/customElements|Event 19|The summary/);
});

test('shows the text of the newest urgent update above the newest one, until the coverage ends', async ({
  site,
  newsroom,
}) => {
  await publishUrgent(newsroom, 'Leave the old quay.');
  await publishUrgent(newsroom, 'Leave Quay Street now.');
  await newsroom.publish({ body: [paragraph('The newest words.')] });
  const banner = /<section id="urgent"(?![^>]* hidden)[\s\S]*?<\/section>/;
  const { main } = await get(site, live(newsroom));
  expect(main).toMatch(banner);
  const [text = ''] = banner.exec(main) ?? [];
  expect(text).toContain('<p>Leave Quay Street now.</p>');
  expect(text).toContain(`href="${live(newsroom, '#update-2')}"`);
  expect(main.indexOf(text)).toBeLessThan(main.indexOf('The newest words.'));
  await newsroom.setState('ended');
  await expect.poll(async () => (await get(site, live(newsroom))).main).not.toMatch(banner);
});

test('names the day of the times above the list when it is not today', async ({ site, people, newsroom }) => {
  const id = randomUUID();
  const at = new Date(Date.now() - 49 * 3_600_000);
  const day = shortDay(at, { timeZone: 'Europe/Dublin', language: 'en' }, new Date());
  const content = { body: [paragraph('Leave the quay.')], urgency: 'urgent', key_event: true };
  const items = [
    { id, published_at: at.toISOString(), content },
    {
      id: randomUUID(),
      published_at: at.toISOString(),
      content: { body: [paragraph('The quay is empty.')] },
    },
  ];
  const { error } = await site.service.rpc('import_updates', { coverage_id: newsroom.coverage.id, items });
  expect(error).toBeNull();
  await call(people.editor.client, 'pin_update', { coverage_id: newsroom.coverage.id, update_id: id });
  const sections = async (path: string) => {
    const { html } = await get(site, path);
    return ['urgent', 'newest', 'pinned', 'key-events'].map(
      (name) => new RegExp(`<section id="${name}"[\\s\\S]*?</section>`).exec(html)?.[0].includes(day) ?? null,
    );
  };
  const all = [true, true, true, true];
  await expect.poll(() => sections(live(newsroom))).toEqual(all);
  expect(await sections(live(newsroom, '/changes?after=0'))).toEqual(all);

  // An update of today needs no day.
  await publishUrgent(newsroom, 'Leave Quay Street now.');
  await expect.poll(() => sections(live(newsroom))).toEqual([false, false, true, true]);
});

test('lists fifty key events per page', async ({ site, newsroom }) => {
  for (let n = 1; n <= 52; n++) await newsroom.publish({ headline: `Event ${n}`, key_event: true });
  const first = await get(site, live(newsroom, '?show=key'));
  expect(first.numbers).toHaveLength(50);
  expect(first.link('next')).toBe(live(newsroom, '?show=key&before=3'));
  expect((await get(site, live(newsroom, '?show=key&before=3'))).numbers).toEqual([2, 1]);
});

test.for([
  ['?before=12', 302, ''],
  ['?before=5', 301, '?before=11'],
  ['?before=5&utm_source=x', 301, '?before=11'],
  ['?order=oldest&before=11', 301, '?order=oldest'],
] as const)('redirects %s to the page that contains it', async ([query, status, to], { site, newsroom }) => {
  await fill(site, newsroom, 23);
  const response = await ask(site, live(newsroom, query));
  expect(response.status).toBe(status);
  expect(response.headers.get('location')).toBe(live(newsroom, to));
});

test.for(['?before=0', '?before=x', '/0', '/24', '/x', '/1e1', '/99999999999'])(
  'answers 404 for %s',
  async (rest, { site, newsroom }) => {
    await fill(site, newsroom, 23);
    const response = await ask(site, live(newsroom, rest));
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('max-age=0, s-maxage=5');
    expect((await read(response)).main).toContain('Page not found');
  },
);

test('hides a draft, and shows when a scheduled coverage begins', async ({ site, newsroom }) => {
  const editor = newsroom.people.editor.client;
  const [coverage_id, slug] = [randomUUID(), `later-${randomUUID().slice(0, 8)}`];
  await call(editor, 'create_coverage', {
    coverage_id,
    content: { slug, headline: 'The count', time_zone: 'Europe/Dublin', starts_at: '2030-12-03T22:00:00Z' },
  });
  expect((await ask(site, `/live/${slug}`)).status).toBe(404);
  expect((await get(site, '/')).html).not.toContain('The count');
  await call(editor, 'set_coverage_state', { coverage_id, state: 'scheduled' });
  expect((await get(site, `/live/${slug}`)).main).toContain('Tuesday, 3 December 2030, 22:00');
  expect((await get(site, '/')).main).toContain('The count');
});

test('redirects a renamed coverage and its updates to the new address', async ({ site, newsroom }) => {
  await newsroom.publish();
  const { id: coverage_id, slug } = newsroom.coverage;
  const content = { slug: `${slug}-moved` };
  await call(newsroom.people.editor.client, 'save_coverage', { coverage_id, version: 1, content });
  for (const [path, to] of [
    ['?order=oldest&fbclid=1', `/live/${slug}-moved?order=oldest`],
    ['/1', `/live/${slug}-moved/1`],
  ]) {
    const response = await ask(site, live(newsroom, path));
    expect(response.status).toBe(301);
    expect(response.headers.get('location')).toBe(to);
    expect(response.headers.get('cache-control')).toMatch(/s-maxage=10/);
  }
});

test('answers 410 for a withdrawn coverage and its updates', async ({ site, newsroom }) => {
  await newsroom.publish({ headline: 'Nobody may read this' });
  await newsroom.setState('withdrawn');
  for (const path of [live(newsroom), live(newsroom, '/1'), live(newsroom, '?before=11')]) {
    const response = await ask(site, path);
    expect(response.status).toBe(410);
    expect(response.headers.get('cache-control')).toMatch(/s-maxage=10/);
    expect(await response.text()).not.toMatch(/Nobody may read|The river rises/);
  }
  const person = await get(site, `/people/${newsroom.people.reporter.handle}`);
  expect(person.html).not.toContain('Nobody may read');
});

test('shows number, times and reason of a withdrawn update, and none of its content', async ({
  site,
  newsroom,
}) => {
  const update = await newsroom.publish({ headline: 'A secret', key_event: true });
  await newsroom.withdraw(update, 'It was not ours to tell.');
  const response = await ask(site, live(newsroom, '/1'));
  expect(response.status).toBe(410);
  const { html, main } = await read(response);
  expect(main).toMatch(
    /Update 1 was withdrawn[\s\S]*It was not ours to tell\.[\s\S]*Published [\s\S]*Withdrawn /,
  );
  for (const page of [html, (await get(site, live(newsroom))).html, (await get(site, '/')).html]) {
    expect(page).not.toMatch(/A secret/);
  }
});

test('gives an update a page with its public changes, which the live page does not show', async ({
  site,
  newsroom,
}) => {
  const { reporter, editor } = newsroom.people;
  const { id: coverage_id } = newsroom.coverage;
  const update_id = randomUUID();
  const draft = { body: [paragraph('Nobody may read this draft.')] };
  await call(reporter.client, 'save_update', { coverage_id, update_id, content: draft });
  const contentOf = (headline: string, text: string, more: object = {}) => ({
    headline,
    body: [paragraph('The coast guard is out.'), paragraph(text)],
    key_event: true,
    desk_note: 'Readers never see this note.',
    ...more,
  });
  const content = contentOf('Two boats lost', 'Their crews are in the watre.');
  await call(reporter.client, 'publish_update', { coverage_id, update_id, content, version: 1 });
  const update = { id: update_id, number: 1, version: 2, seq: 1 };
  expect((await get(site, live(newsroom, '/1'))).main).not.toContain('<details');
  await newsroom.revise(update, contentOf('Two boats lost', 'Their crews are in the sea.'));
  await newsroom.revise(
    { ...update, version: 3 },
    contentOf('Two boats lost', 'Their crews are in the water.'),
  );
  const right = contentOf('One boat lost', 'Its crew is in the water.', { attribution: 'Coast guard' });
  await newsroom.correct({ ...update, version: 4 }, right, 'It was one boat.');

  const { html, main, title, data } = await get(site, live(newsroom, '/1'));
  expect(title).toContain('One boat lost');
  expect(main).toMatch(/<h1>One boat lost<\/h1>[\s\S]*Correction[\s\S]*It was one boat\./);
  expect(html).toContain(`<link rel="canonical" href="${site.url}${live(newsroom, '/1')}">`);
  expect(JSON.parse(data ?? '')['@graph'][0]).toMatchObject({
    '@type': 'NewsArticle',
    headline: 'One boat lost',
    correction: [{ '@type': 'CorrectionComment', text: 'It was one boat.' }],
  });
  // Newest change first. Unchanged text is shortened, and changes before the publication are not shown.
  const history = main
    .slice(main.indexOf('<details'), main.indexOf('</details>'))
    .replace(/<time[^>]*>.*?<\/time>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
  expect(history).toMatch(
    /Correction It was one boat\. Removed: Two boats \. Added: One boat \. lost … unchanged Removed: Their crews are \. Added: Its crew is \. in the water\. Source : Added: Coast guard \. Revised 2 times – … unchanged Their crews are in the Removed: watre \. Added: water \. \. Published $/,
  );
  expect(html).not.toContain('Nobody may read');
  expect(html.replace(/<details[\s\S]*<\/details>/, '')).not.toMatch(/Two boats|Their crews/);

  const etag = (await ask(site, live(newsroom, '/1'))).headers.get('etag') ?? '';
  await call(editor.client, 'redact_revision', { update_id, version: 2, reason: 'A name.' });
  await expect.poll(async () => (await get(site, live(newsroom, '/1'))).html).not.toContain('watre');
  const after = await get(site, live(newsroom, '/1'));
  expect(after.main).toMatch(/The text of this version was removed[\s\S]*A name\./);
  expect((await ask(site, live(newsroom, '/1'), { 'If-None-Match': etag })).status).toBe(200);
  await newsroom.withdraw(update, 'It never sailed.');
  await expect.poll(async () => (await ask(site, live(newsroom, '/1'))).status).toBe(410);
  expect((await get(site, live(newsroom, '/1'))).html).not.toMatch(/boat|crew/);
});

test('lists corrections and withdrawals thirty per page, each in its own language', async ({
  site,
  newsroom,
}) => {
  const { editor } = newsroom.people;
  const { id: coverage_id, slug } = newsroom.coverage;
  const content = { language: 'ar', headline: 'النهر يرتفع' };
  await call(editor.client, 'save_coverage', { coverage_id, version: 1, content });
  const update = await newsroom.publish({ headline: 'A headline' });
  for (let n = 0; n < 30; n++) {
    const kind = n === 29 ? 'clarification' : 'correction';
    const args = { update_id: update.id, version: n + 1, content: { body: [paragraph('Words.')] }, kind };
    await call(editor.client, 'correct_update', { ...args, note: `Note ${n}.` });
  }
  await newsroom.withdraw(await newsroom.publish({ headline: 'A secret' }), 'It never rained.');

  const first = await get(site, '/corrections');
  expect(first.html).not.toContain('A secret');
  expect(first.main).toMatch(
    new RegExp(
      `Withdrawn[\\s\\S]*lang="ar" dir="rtl">It never rained\\.[\\s\\S]*href="/live/${slug}/2">Update 2<[\\s\\S]*Clarification[\\s\\S]*Note 29`,
    ),
  );
  expect(first.main.match(/<li>/g)).toHaveLength(30);
  const second = await get(site, first.link('next') ?? '');
  expect(second.main).toMatch(/Note 0\./);
  expect(second.main).not.toMatch(/Note 1\./);
  expect((await ask(site, '/corrections?x=1')).headers.get('cache-tag')).toBe('site,corrections');
  expect((await get(site, live(newsroom))).html).toContain('href="/corrections"');

  // A line about a withdrawn coverage does not name it.
  await newsroom.setState('withdrawn');
  await expect
    .poll(async () => (await get(site, '/corrections')).html)
    .toContain('A whole coverage was withdrawn.');
  const remaining = await get(site, '/corrections');
  expect(remaining.html).not.toMatch(new RegExp(`${slug}|النهر|Note 29|It never rained`));
});

test('lets search engines index updates with a headline or key event, and no filtered lists', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish();
  await newsroom.publish({ headline: 'A headline' });
  await newsroom.publish({ key_event: true });
  const isIndexed = async (rest: string) =>
    !(await get(site, live(newsroom, rest))).html.includes('content="noindex"');
  expect(await isIndexed('')).toBe(true);
  expect(await isIndexed('/1')).toBe(false);
  expect(await isIndexed('/2')).toBe(true);
  expect(await isIndexed('/3')).toBe(true);
  expect(await isIndexed('?show=key')).toBe(false);
  expect(await isIndexed('?order=oldest')).toBe(false);
  expect(await isIndexed('/9')).toBe(false);
});

test('escapes the content in its structured data', async ({ site, newsroom }) => {
  await newsroom.publish({ body: [paragraph('</script><script>alert(1)</script> & "so"')] });
  const { data, html } = await get(site, live(newsroom));
  expect(JSON.parse(data ?? '')['@graph'][0]).toMatchObject({
    '@type': 'LiveBlogPosting',
    url: `${site.url}${live(newsroom)}`,
    liveBlogUpdate: [{ articleBody: '</script><script>alert(1)</script> & "so"' }],
  });
  expect(html).not.toContain('<script>alert');
});

test('lists the coverages of a topic and the updates of a person', async ({ site, newsroom }) => {
  const { editor, reporter } = newsroom.people;
  const slug = `topic-${randomUUID().slice(0, 8)}`;
  await call(editor.client, 'save_topic', { slug, name: 'Floods', description: 'High water.' });
  const content = { topics: [slug] };
  await call(editor.client, 'save_coverage', { coverage_id: newsroom.coverage.id, version: 1, content });
  await newsroom.publish({ headline: 'A line of hers' });
  const topic = await get(site, `/topics/${slug}`);
  expect(topic.main).toMatch(/Floods[\s\S]*High water\.[\s\S]*The river rises/);
  expect((await get(site, live(newsroom))).main).toContain(`href="/topics/${slug}"`);
  expect((await get(site, `/people/${reporter.handle}`)).main).toMatch(
    /The river rises[\s\S]*A line of hers/,
  );
  // A person without a byline has no public page.
  for (const path of [`/people/${editor.handle}`, '/people/none', '/topics/none']) {
    expect((await ask(site, path)).status, path).toBe(404);
  }
});
