import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import { embed as words } from '../../src/lib/i18n/en/publishing.ts';
import { reader as readersWords } from '../../src/lib/i18n/en/reader.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { call, createLiveCoverage, type Newsroom, publishUrgent } from '../support/newsroom.ts';
import { startOtherSite } from '../support/other-site.ts';
import { signIn } from '../support/sign-in.ts';
import type { TestSite } from '../support/site.ts';

// A poll would come long after any change that a socket announces.
const test = base.extend('ownSite', true).extend('environment', { STOPPRESS_READER_SOCKETS: '100' });

async function enableSockets({ people, coverage }: Newsroom) {
  const { client } = people.editor;
  const { data } = await client.from('coverages').select('version').eq('id', coverage.id).single();
  const content = { reader_follow_mode: 'sockets', check_interval_seconds: 300 };
  await call(client, 'save_coverage', { coverage_id: coverage.id, version: data?.version, content });
}

/** The HTML of a coverage for other sites. */
async function snippetOf(site: TestSite, { coverage }: Newsroom): Promise<string> {
  const url = encodeURIComponent(`${site.url}/live/${coverage.slug}`);
  const oembed = (await (await fetch(`${site.url}/oembed?url=${url}`)).json()) as { html: string };
  return oembed.html;
}

/** Frames of a page that show an embed, after they have loaded. */
async function framesOf(page: Page, count = 1): Promise<Frame[]> {
  const embeds = () => page.frames().filter((frame) => frame.url().endsWith('/embed'));
  await expect.poll(() => embeds().length).toBe(count);
  return embeds();
}

const numbersIn = (frame: Frame) =>
  frame.locator('#updates > article').evaluateAll((all) => all.map((one) => Number(one.dataset.number)));
const heightOf = (page: Page, index = 0) =>
  page
    .locator('iframe')
    .nth(index)
    .evaluate((frame) => frame.getBoundingClientRect().height);
const contentOf = (frame: Frame) =>
  frame.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height));
/** Expects a frame to be as high as its content. */
const expectToFit = (page: Page, frame: Frame, index = 0) =>
  expect.poll(async () => (await heightOf(page, index)) - (await contentOf(frame))).toBe(0);
/** Waits until the frame follows the coverage. */
const waitUntilFollowed = (frame: Frame) => frame.getByRole('button', { name: feed.pause }).waitFor();

test('fits the frame to its content on another site, and applies changes to it', async ({
  site,
  newsroom,
  visit,
}) => {
  const second = await createLiveCoverage(newsroom.people);
  await enableSockets(newsroom);
  await enableSockets(second);
  const first = await newsroom.publish({ headline: 'The first' });
  await newsroom.publish({ headline: 'The second' });
  await second.publish({ headline: 'Of the other coverage' });
  // Two snippets with their scripts, on a page that requires cross-origin permission for its resources.
  const html = (await snippetOf(site, newsroom)) + (await snippetOf(site, second));
  const url = await startOtherSite(html, { 'cross-origin-embedder-policy': 'require-corp' });
  const { page, expectError } = await visit({ viewport: { width: 400, height: 2400 } });
  expectError(/status of 410 .*\/changes/);
  await page.goto(url);
  const [frame, other] = (await framesOf(page, 2)) as [Frame, Frame];
  await waitUntilFollowed(frame);
  expect(await numbersIn(frame)).toEqual([2, 1]);
  await expectToFit(page, frame, 0);
  await expectToFit(page, other, 1);
  expect(await heightOf(page, 0)).not.toBe(await heightOf(page, 1));
  const before = await heightOf(page);

  await frame.evaluate(() => Object.assign(window, { sameDocument: true }));
  await newsroom.publish({ headline: 'The bridge is shut' });
  await frame.getByText('The bridge is shut').waitFor();
  expect(await numbersIn(frame)).toEqual([3, 2, 1]);
  await expectToFit(page, frame, 0);
  expect(await heightOf(page)).toBeGreaterThan(before + 100);

  await publishUrgent(newsroom, 'Leave Quay Street now.');
  await frame.locator('#urgent').getByText('Leave Quay Street now.').waitFor();
  await expectToFit(page, frame, 0);

  await newsroom.withdraw(first, 'It was about another river.');
  await frame.getByText('It was about another river.').waitFor();
  expect(await frame.locator('#updates').innerText()).not.toContain('The first');
  await newsroom.setState('ended');
  await expect.poll(() => frame.locator('#status').innerText()).toMatch(/^Ended/);
  await second.setState('withdrawn');
  await other.getByText(feed.gone).waitFor();
  expect(await other.locator('body').innerText()).not.toContain('Of the other coverage');
  await expectToFit(page, other, 1);
  expect(await frame.evaluate(() => 'sameDocument' in window)).toBe(true);

  await page.goto(`${site.url}/live/${newsroom.coverage.slug}/embed`);
  await expectNoAxeFindings(page);
});

test('opens links of a frame in a new tab, except for the reload link', async ({ site, newsroom, visit }) => {
  await newsroom.publish({ headline: 'The first' });
  const { page } = await visit();
  await page.goto(await startOtherSite(await snippetOf(site, newsroom)));
  const [frame] = (await framesOf(page)) as [Frame];
  await waitUntilFollowed(frame);
  for (const name of ['The river rises at Harrow Bridge', words.all('Stoppress')]) {
    const opening = page.context().waitForEvent('page');
    await frame.getByRole('link', { name }).click();
    const opened = await opening;
    await opened.waitForURL(`${site.url}/live/${newsroom.coverage.slug}`);
    expect(await opened.evaluate(() => window.opener)).toBeNull();
  }
  await call(newsroom.people.editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: 1,
    content: { headline: 'Another headline' },
  });
  await frame.getByRole('link', { name: feed.reload.newer }).click();
  await frame.getByRole('link', { name: 'Another headline' }).waitFor();
  expect(page.context().pages()).toHaveLength(3);
});

test('keeps the position of a reader in a frame, and shows new updates at its top', async ({
  site,
  newsroom,
  visit,
}) => {
  await enableSockets(newsroom);
  for (let n = 1; n <= 8; n++) await newsroom.publish({ headline: `Headline ${n}` });
  const { page } = await visit();
  let requests = 0;
  page.on('request', (request) => {
    if (/\.js$|\/changes\?/.test(request.url())) requests++;
  });
  const filler = '<p style="height:1500px">Words of the other site.</p>';
  await page.goto(await startOtherSite(`${filler}${await snippetOf(site, newsroom)}${filler}`));
  const [frame] = (await framesOf(page)) as [Frame];
  await expectToFit(page, frame);
  // The frame has not been visible, so it has fetched nothing for following.
  expect(requests).toBe(0);
  await page.evaluate(() => document.querySelector('iframe')?.scrollIntoView());
  await waitUntilFollowed(frame);

  const topOf = (number: number) =>
    frame
      .locator(`#update-${number}`)
      .boundingBox()
      .then((box) => box?.y);
  await frame.locator('#update-4').evaluate((article) => article.scrollIntoView());
  await expect.poll(() => frame.locator('#coverage').getAttribute('data-sight')).toBe('below');
  const place = await topOf(4);
  await newsroom.publish({ headline: 'The bridge is shut' });
  await frame.locator('.feed-bar').waitFor({ state: 'attached' });
  expect(await numbersIn(frame)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  expect(await topOf(4)).toBe(place);
  await page.evaluate(() => document.querySelector('iframe')?.scrollIntoView());
  await frame.getByText('The bridge is shut').waitFor();
  expect(await numbersIn(frame)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);

  // A frame out of sight has no socket. It requests missed changes when it is visible again.
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await expect.poll(() => frame.locator('#coverage').getAttribute('data-sight')).toBe('none');
  requests = 0;
  await newsroom.publish({ headline: 'The bridge is open' });
  await expect
    .poll(() => fetch(`${site.url}/live/${newsroom.coverage.slug}`).then((page) => page.text()))
    .toContain('The bridge is open');
  expect(requests).toBe(0);
  await page.evaluate(() => document.querySelector('iframe')?.scrollIntoView());
  await frame.getByText('The bridge is open').waitFor();
});

test('is readable without script', async ({ site, newsroom, visit }) => {
  await newsroom.publish({ headline: 'The first' });
  const snippet = await snippetOf(site, newsroom);
  const url = await startOtherSite(snippet);
  const { page } = await visit({ javaScriptEnabled: false });
  await page.goto(url);
  const [frame] = (await framesOf(page)) as [Frame];
  await frame.getByText('The first').waitFor();
  await frame.getByRole('link', { name: readersWords.status.check }).waitFor();
  expect((await page.locator('iframe').boundingBox())?.height).toBe(600);
});

test('is framed by no site or by the named sites only, as set', async ({ site, newsroom, visit }) => {
  await newsroom.publish({ headline: 'The first' });
  const setFrames = async (frames: string[], ancestors: string) => {
    await call(newsroom.people.owner.client, 'save_site', { content: { embed_origins: frames } });
    const policy = async () =>
      (await fetch(`${site.url}/live/${newsroom.coverage.slug}/embed`)).headers.get(
        'content-security-policy',
      );
    await expect.poll(policy).toContain(`frame-ancestors ${ancestors}`);
  };
  const snippet = await snippetOf(site, newsroom);
  const url = await startOtherSite(snippet);
  const origin = new URL(url).origin;
  const { page, expectError } = await visit();
  expectError(/frame-ancestors|ERR_BLOCKED_BY_RESPONSE/);
  for (const [frames, ancestors] of [
    [[], "'none'"],
    [['https://example.org'], 'https://example.org'],
  ] as const) {
    await setFrames([...frames], ancestors);
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(url);
    await refused;
    expect(await page.frames().at(-1)?.getByText('The first').count()).toBe(0);
  }
  await setFrames([origin], origin);
  await page.goto(url);
  const [frame] = (await framesOf(page)) as [Frame];
  await frame.getByText('The first').waitFor();
  await setFrames(['*'], '*');
  // The live page cannot be framed.
  const live = snippet.replace('/embed"', '"');
  const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(await startOtherSite(live));
  await refused;
});

test('copies the HTML for another site at the desk', async ({ newsroom, visit }) => {
  const { page } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await signIn(page, newsroom.people.editor);
  await page.goto(`/desk/${newsroom.coverage.slug}/settings`);
  await page.getByRole('button', { name: words.copy }).click();
  await page.getByText(words.copied).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await page.getByLabel(words.snippet).inputValue());
  expect(copied).toContain(`/live/${newsroom.coverage.slug}/embed"`);
  await expectNoAxeFindings(page);
});
