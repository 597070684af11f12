import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import { test as base } from '../support/browser.ts';
import { call, type Newsroom, paragraph } from '../support/newsroom.ts';
import { startOtherSite } from '../support/other-site.ts';
import { addPhoto } from '../support/photos.ts';
import type { TestSite } from '../support/site.ts';

/*
 * WordPress keeps quote and frame of an oEmbed description, without attributes that it does not know. It puts the frame
 * into a sandbox without an origin, and a secret into its address (`wp_filter_oembed_result`).
 */

const SECRET = 'a1B2c3D4e5';

// A poll would come long after any change that a socket announces.
const test = base.extend('ownSite', true).extend('environment', { STOPPRESS_READER_SOCKETS: '100' });

type Message = { message: string; value: unknown; secret: string };

async function enableSockets({ people, coverage }: Newsroom) {
  const { client } = people.editor;
  const content = { reader_follow_mode: 'sockets', check_interval_seconds: 300 };
  await call(client, 'save_coverage', { coverage_id: coverage.id, version: 1, content });
}

/** Keeps of a description what WordPress keeps. */
function asInWordPress(html: string): string {
  const [, link = ''] = /^<blockquote[^>]*>([\s\S]*?)<\/blockquote>/.exec(html) ?? [];
  const [, source = ''] = /<iframe src="([^"]*)"/.exec(html) ?? [];
  return `<blockquote class="wp-embedded-content" data-secret="${SECRET}">${link}</blockquote>
    <iframe class="wp-embedded-content" sandbox="allow-scripts" security="restricted"
      style="position: absolute; visibility: hidden" src="${source}#?secret=${SECRET}" width="600" height="600"></iframe>`;
}

/** Does what the script of WordPress does with messages, except for opening links. */
const HOST_SCRIPT = `<script>
  window.messages = [];
  addEventListener('message', ({ data, source }) => {
    const frame = document.querySelector('iframe');
    if (data.secret !== '${SECRET}' || source !== frame.contentWindow) return;
    messages.push(data);
    frame.removeAttribute('style');
    document.querySelector('blockquote').style.display = 'none';
    if (data.message === 'height') frame.height = Math.min(1000, Math.max(200, data.value));
  });
</script>`;

/** Opens a page of another site with the coverage as WordPress shows it. Waits until its frame follows. */
async function openPost(site: TestSite, { coverage }: Newsroom, page: Page): Promise<Frame> {
  const url = encodeURIComponent(`${site.url}/live/${coverage.slug}`);
  const { html } = (await (await fetch(`${site.url}/oembed?url=${url}`)).json()) as { html: string };
  await page.goto(await startOtherSite(HOST_SCRIPT + asInWordPress(html)));
  const embed = () => page.frames().find((frame) => frame.url().includes('/embed'));
  await expect.poll(embed).toBeDefined();
  const frame = embed() as Frame;
  await frame.getByRole('button', { name: feed.pause }).waitFor();
  return frame;
}

const messagesIn = (page: Page, kind: string) =>
  page.evaluate(
    (name) =>
      (window as unknown as { messages: Message[] }).messages.filter(({ message }) => message === name),
    kind,
  );

const contentOf = (frame: Frame) =>
  frame.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height));

const linkTo = (text: string, link: string): Block => ({ type: 'paragraph', runs: [{ text, link }] });

test('follows live in a sandbox without an origin, with photos, and reports its height with the secret', async ({
  site,
  newsroom,
  visit,
}) => {
  await enableSockets(newsroom);
  const { block } = await addPhoto(site, newsroom);
  await newsroom.publish({ headline: 'The first', body: [paragraph('High water.'), block] });
  const { page, expectError } = await visit({
    viewport: { width: 700, height: 1600 },
    serviceWorkers: 'allow',
  });
  expectError(/status of 410 .*\/changes/);
  const frame = await openPost(site, newsroom, page);
  expect(await frame.evaluate(() => window.origin)).toBe('null');
  expect(await page.locator('blockquote').isVisible()).toBe(false);
  await expect
    .poll(() =>
      frame
        .locator('.photo img')
        .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth > 0)),
    )
    .toEqual([true]);

  const lastHeight = async () => (await messagesIn(page, 'height')).at(-1);
  await newsroom.publish({ headline: 'The bridge is shut' });
  await frame.getByText('The bridge is shut').waitFor();
  await expect
    .poll(async () => ({ last: await lastHeight(), content: await contentOf(frame) }))
    .toSatisfy(({ last, content }) => last?.value === content && last?.secret === SECRET);
  const shown = await page.locator('iframe').evaluate((element) => element.getBoundingClientRect().height);
  expect(shown).toBeGreaterThanOrEqual(Math.min(1000, await contentOf(frame)));

  const count = (await messagesIn(page, 'height')).length;
  const ask = (secret: string) =>
    page.evaluate((given) => {
      document.querySelector('iframe')?.contentWindow?.postMessage({ message: 'ready', secret: given }, '*');
    }, secret);
  await ask('other');
  await ask(SECRET);
  await expect.poll(async () => (await messagesIn(page, 'height')).length).toBe(count + 1);

  await newsroom.setState('withdrawn');
  await frame.getByText(feed.gone).waitFor();
  expect(await frame.locator('body').innerText()).not.toContain('The first');
});

test('opens its links by messages, and links to other hosts by the page of their update', async ({
  site,
  newsroom,
  visit,
}) => {
  await newsroom.publish({ headline: 'The first', body: [linkTo('Elsewhere', 'https://example.org/a')] });
  const { page } = await visit();
  const frame = await openPost(site, newsroom, page);
  const live = `${site.url}/live/${newsroom.coverage.slug}`;
  await frame.getByRole('link', { name: 'The river rises at Harrow Bridge' }).click();
  await frame.getByRole('link', { name: 'Elsewhere' }).click();
  await expect
    .poll(() => messagesIn(page, 'link'))
    .toEqual([
      { message: 'link', value: live, secret: SECRET },
      { message: 'link', value: `${live}/1`, secret: SECRET },
    ]);
  // WordPress opens links only for the frame that has the focus.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('IFRAME');
  expect(page.context().pages()).toHaveLength(1);
});

test('keeps its secret when the reader reloads it', async ({ site, newsroom, visit }) => {
  await newsroom.publish({ headline: 'The first' });
  const { page } = await visit();
  const frame = await openPost(site, newsroom, page);
  await call(newsroom.people.editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: 1,
    content: { headline: 'Another headline' },
  });
  await frame.getByRole('link', { name: feed.reload.newer }).click();
  await frame.getByRole('link', { name: 'Another headline' }).waitFor();
  expect(frame.url()).toMatch(new RegExp(`/embed#\\?secret=${SECRET}$`));
  const count = (await messagesIn(page, 'height')).length;
  await newsroom.publish({ headline: 'The second' });
  await frame.getByText('The second').waitFor();
  await expect.poll(async () => (await messagesIn(page, 'height')).length).toBeGreaterThan(count);
});
