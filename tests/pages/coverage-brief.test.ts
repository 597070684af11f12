import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { brief } from '../../src/lib/i18n/en/publishing.ts';
import { RELOAD } from '../support/http-client.ts';
import { call, type Newsroom, paragraph, publishUrgent } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import type { TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';

const FORMATS = ['brief', 'brief.txt'] as const;
type Format = (typeof FORMATS)[number];

const pathOf = ({ coverage }: Newsroom, format: Format) => `/live/${coverage.slug}/${format}`;

const ask = (site: TestSite, path: string, init: RequestInit = {}) =>
  fetch(site.url + path, { redirect: 'manual', ...init, headers: { ...RELOAD, ...init.headers } });

const textOf = async (site: TestSite, newsroom: Newsroom) =>
  (await ask(site, pathOf(newsroom, 'brief.txt'))).text();

test('answers for a draft, a missing, renamed or withdrawn coverage as its live page does', async ({
  site,
  newsroom,
}) => {
  const { coverage, people } = newsroom;
  const editor = people.editor.client;
  await newsroom.publish({ headline: 'The last word' });
  const draft = `draft-${randomUUID().slice(0, 8)}`;
  const content = { slug: draft, headline: 'Not yet', standfirst: '' };
  await call(editor, 'create_coverage', { coverage_id: randomUUID(), content });
  for (const format of FORMATS) {
    for (const slug of [draft, 'never-was', 'No_Slug']) {
      const answer = await ask(site, `/live/${slug}/${format}`);
      expect(answer.status, slug).toBe(404);
      expect(answer.headers.get('content-type'), slug).toMatch(
        format === 'brief' ? /^text\/html/ : /^text\/plain/,
      );
      expect(await answer.text(), slug).not.toContain('Not yet');
    }
  }

  const slug = `${coverage.slug}-moved`;
  const { data } = await editor.from('coverages').select('version').eq('id', coverage.id).single();
  const renaming = { coverage_id: coverage.id, version: data?.version, content: { slug } };
  await call(editor, 'save_coverage', renaming);
  for (const format of FORMATS) {
    await expect.poll(async () => (await ask(site, `/live/${slug}/${format}`)).status).toBe(200);
    const moved = await ask(site, `${pathOf(newsroom, format)}?utm_source=x`);
    expect([moved.status, moved.headers.get('location')]).toEqual([301, `/live/${slug}/${format}`]);
  }

  await call(site.service, 'set_coverage_state', { coverage_id: coverage.id, state: 'withdrawn' });
  for (const format of FORMATS) {
    await expect.poll(async () => (await ask(site, `/live/${slug}/${format}`)).status).toBe(410);
    expect(await (await ask(site, `/live/${slug}/${format}`)).text()).not.toContain('The last word');
  }
  expect((await ask(site, `/live/${slug}/brief.txt`)).headers.get('stoppress-status')).toBe('withdrawn');
});

test('has the headers of a part and at most 1,500 bytes, and ignores parameters', async ({
  site,
  newsroom,
}) => {
  const { coverage } = newsroom;
  const long = 'The river rises, and the bridge is shut. '.repeat(40);
  await newsroom.setSummary([paragraph(long)]);
  for (let n = 1; n <= 6; n++) await newsroom.publish({ headline: `Headline ${n}`, body: [paragraph(long)] });
  await expect.poll(() => textOf(site, newsroom)).toContain('Headline 6');
  const answer = await ask(site, `${pathOf(newsroom, 'brief.txt')}?layout=strip&updates=x`);
  expect(answer.status).toBe(200);
  const { headers } = answer;
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('stoppress-status')).toBe('live');
  expect(headers.get('stoppress-seq')).toMatch(/^\d+$/);
  expect(headers.get('link')).toBe(`<${site.url}/live/${coverage.slug}>; rel="canonical"`);
  expect(headers.get('cache-tag')).toBe(`site,coverage:${coverage.id}`);
  expect(headers.get('cache-control')).toMatch(/^max-age=0, s-maxage=10\b/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('set-cookie')).toBeNull();
  const text = await answer.text();
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_500);
  expect(text).toContain('Headline 2. The river');
  expect(text).not.toContain('Headline 1');
  expect(text).toContain(`${site.url}/live/${coverage.slug}\n`);

  const head = await ask(site, pathOf(newsroom, 'brief.txt'), { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(head.headers.get('etag')).toBe(headers.get('etag'));
  const posted = await ask(site, pathOf(newsroom, 'brief.txt'), { method: 'POST' });
  expect(posted.status).toBe(405);
});

test('answers 304 until something changes', async ({ site, newsroom }) => {
  await newsroom.publish({ headline: 'First' });
  await expect.poll(() => textOf(site, newsroom)).toContain('First');
  for (const format of FORMATS) {
    const etag = (await ask(site, pathOf(newsroom, format))).headers.get('etag') ?? '';
    const again = () => ask(site, pathOf(newsroom, format), { headers: { 'If-None-Match': etag } });
    const unchanged = await again();
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    await newsroom.publish({ headline: `After ${format}` });
    await expect.poll(async () => (await again()).status).toBe(200);
  }
});

test('shows corrections, withdrawals, urgent updates, blocks and states as they change', async ({
  site,
  newsroom,
}) => {
  const text = () => textOf(site, newsroom);
  await expect.poll(text).toContain(brief.noUpdates);
  const { block } = await addPhoto(site, newsroom);
  await newsroom.publish({
    body: [
      paragraph('High water'),
      block,
      { type: 'map', name: 'Harrow Bridge', latitude: 53.7, longitude: -0.4 },
    ],
  });
  await expect.poll(text).toMatch(/High water\. \[.+\] \[Map of Harrow Bridge\]/);

  const mistaken = await newsroom.publish({ body: [paragraph('Three people were hurt.')] });
  await newsroom.correct(mistaken, { body: [paragraph('Two people were hurt.')] }, 'It was two.');
  await expect.poll(text).toMatch(/Two people were hurt\. \(Corrected \d\d:\d\d\)/);
  expect(await text()).not.toContain('Three');

  const wrong = await newsroom.publish({ headline: 'Another river' });
  await newsroom.withdraw(wrong, 'It was about another river.');
  await expect.poll(text).toContain('Withdrawn: It was about another river.');
  expect(await text()).not.toContain('Another river');

  await publishUrgent(newsroom, 'Leave Quay Street now.');
  await expect.poll(text).toContain('URGENT: Leave Quay Street now.');
  expect((await text()).match(/Leave Quay Street/g)).toHaveLength(1);
  await newsroom.setState('ended');
  await expect.poll(text).toContain('\nEnded, ');
  expect(await text()).toContain('Urgent: Leave Quay Street now.');
});

test('escapes hostile texts in the page, which has no scripts', async ({ site, newsroom }) => {
  const hostile = `"'></title></style><script>alert(1)</script><img src=x onerror=alert(2)>`;
  await call(newsroom.people.editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: 1,
    content: { headline: hostile, standfirst: hostile },
  });
  await newsroom.publish({ headline: hostile, body: [paragraph(`\u202E${hostile}`)] });
  const page = async () => (await ask(site, pathOf(newsroom, 'brief'))).text();
  await expect.poll(page).toContain('&lt;script&gt;alert(1)');
  const html = await page();
  expect(html).not.toMatch(/<script|<img|\u202E/);
  expect(html).toContain('<meta name="robots" content="noindex">');
  expect(html).toContain(`href="${pathOf(newsroom, 'brief.txt')}"`);
  expect(await textOf(site, newsroom)).toContain('<script>alert(1)');
});
