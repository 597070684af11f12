import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test as base } from '../support/browser.ts';
import { longParagraph, paragraph, publishUrgent } from '../support/newsroom.ts';
import { until } from '../support/until.ts';
import { phpText, startWordPress, type WordPress } from '../support/wordpress/wordpress.ts';

/** Seconds within which an update appears on an open page of WordPress (docs/wordpress.md). */
const ANNOUNCED_S = 40;

const test = base
  .extend('ownSite', true)
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  .extend('wordpress', { scope: 'file' }, async ({}, { onCleanup }) => {
    const wordpress = await startWordPress('6.5');
    onCleanup(wordpress.stop);
    return wordpress;
  })
  .extend('publishPost', { scope: 'file' }, async ({ wordpress, site }) => {
    await wordpress.php(`return update_option( 'stoppress_site', ${phpText(site.url)} );`);
    return (slug: string, more: Record<string, unknown> = {}) =>
      wordpress.publishBlock({ coverage: slug, ...more });
  });

/** Files that the package of WordPress lacks. */
const MISSING_FILES = /Failed to load resource|MIME type|Refused to (?:apply|execute)/;

const block = (page: Page) => page.locator('.wp-block-stoppress-live-coverage');
const update = (page: Page, number: number) => block(page).locator(`article[data-number="${number}"]`);

/** Removes the marks of failed requests. */
const FORGET_FAILURES = `
  global $wpdb;
  $names = $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%stoppress\\_away%'" );
  array_map( 'delete_option', $names );
  return true;`;

/** Opens a post. A site on a busy machine may take too long for its first answer, and is then asked a minute later. */
async function openPost(page: Page, wordpress: WordPress, post: string): Promise<void> {
  await until('WordPress shows the part', async () => {
    await page.goto(post);
    if (!(await block(page).innerText()).includes('cannot be')) return true;
    await wordpress.php(FORGET_FAILURES);
    return false;
  });
}

/** Waits at most as long as was announced, with a reserve for a busy machine. */
const soon = (expectation: string, isMet: () => Promise<boolean>) =>
  until(expectation, isMet, (ANNOUNCED_S + 20) * 1000);

test('shows a coverage in a post without scripts, in every layout', async ({
  newsroom,
  wordpress,
  visit,
  publishPost,
}) => {
  await newsroom.setSummary([paragraph('The bridge is closed.')]);
  await newsroom.publish({ headline: 'Water reaches the quay', key_event: true });
  await newsroom.publish({ body: [paragraph('“[gallery]” — he said <b>no</b> & left.')] });
  const { slug } = newsroom.coverage;
  const visitor = await visit({ javaScriptEnabled: false });
  visitor.expectError(MISSING_FILES);
  const { page } = visitor;

  const open = async (more?: Record<string, unknown>) =>
    openPost(page, wordpress, await publishPost(slug, more));

  await open();
  expect(await block(page).innerText()).toContain('The bridge is closed.');
  expect(await update(page, 1).innerText()).toContain('Water reaches the quay');
  expect(await update(page, 2).innerText()).toContain('[gallery]');
  expect(await update(page, 2).innerText()).toContain('<b>no</b> & left.');
  expect(await block(page).getByRole('heading', { level: 2 }).first().innerText()).toContain(
    'The river rises',
  );

  await open({ layout: 'summary', heading: 3 });
  expect(await block(page).innerText()).toContain('The bridge is closed.');
  expect(await block(page).getByRole('heading', { level: 3 }).first().innerText()).toContain(
    'The river rises',
  );
  expect(await block(page).locator('article').count()).toBe(0);

  await open({ layout: 'newest' });
  expect(await block(page).locator('li').count()).toBe(2);

  await publishUrgent(newsroom, 'Leave Mill Lane now.');
  await open({ layout: 'strip' });
  expect(await block(page).innerText()).toContain('Leave Mill Lane now.');
  expect(await block(page).locator('p').count()).toBe(1);
});

test('brings updates, corrections and withdrawals to an open page, without moving what is read', async ({
  newsroom,
  wordpress,
  visit,
  publishPost,
}) => {
  for (let n = 0; n < 8; n++)
    await newsroom.publish({ body: [longParagraph(`Report ${n}`), longParagraph('More')] });
  const visitor = await visit();
  visitor.expectError(MISSING_FILES);
  const { page } = visitor;
  await openPost(page, wordpress, await publishPost(newsroom.coverage.slug));

  // At the top it appears by itself.
  const ninth = await newsroom.publish({ headline: 'The ninth' });
  await soon('An update appears', () => update(page, ninth.number).isVisible());

  // Further down the text stays where it is, and a button shows the new one.
  await update(page, 5).evaluate((article) => article.scrollIntoView({ block: 'start' }));
  const topOf = (number: number) =>
    update(page, number).evaluate((article) => article.getBoundingClientRect().top);
  const before = await topOf(5);
  const tenth = await newsroom.publish({ headline: 'The tenth' });
  await newsroom.correct(ninth, { headline: 'The ninth, corrected' }, 'It was the ninth.');
  const button = block(page).getByRole('button', { name: 'New updates' });
  await soon('A button shows that there is a new update', () => button.isVisible());
  await soon('A correction appears in place', async () =>
    (await update(page, ninth.number).innerText()).includes('It was the ninth.'),
  );
  expect(Math.abs((await topOf(5)) - before)).toBeLessThanOrEqual(2);
  await button.click();
  await expect.poll(() => update(page, tenth.number).isVisible()).toBe(true);

  await newsroom.withdraw(tenth, 'It was wrong.');
  await soon('A withdrawal appears', async () =>
    (await update(page, tenth.number).innerText()).includes('It was wrong.'),
  );
  expect(await block(page).innerText()).not.toContain('The tenth');
});

test('removes a withdrawn coverage from an open page that is being read', async ({
  newsroom,
  wordpress,
  visit,
  publishPost,
}) => {
  for (let n = 0; n < 6; n++)
    await newsroom.publish({ body: [longParagraph(`Report ${n}`), longParagraph('More')] });
  const visitor = await visit();
  visitor.expectError(MISSING_FILES);
  const { page } = visitor;
  await openPost(page, wordpress, await publishPost(newsroom.coverage.slug));
  await update(page, 3).evaluate((article) => article.scrollIntoView({ block: 'start' }));
  const { top, bottom } = await block(page).evaluate((element) => {
    const place = element.getBoundingClientRect();
    return { top: place.top, bottom: place.bottom };
  });
  expect(top).toBeLessThan(0);
  expect(bottom).toBeGreaterThan(0);

  await newsroom.setState('withdrawn');
  await soon('The coverage disappears', async () => !(await block(page).innerText()).includes('Report'));
  expect(await block(page).innerText()).toContain('This live coverage is not available.');
});

/** What WordPress offers to scripts in its editor. */
type Store = Record<string, (...values: unknown[]) => unknown>;
type EditorWindow = {
  wp?: {
    blocks: { createBlock(name: string): unknown };
    data: { select(store: string): Store; dispatch(store: string): Store };
  };
};

test('lets an author choose a coverage in the editor, see it there, and publish it', async ({
  site,
  newsroom,
  wordpress,
  visit,
}) => {
  await newsroom.publish({ headline: 'Seen in the editor' });
  const { slug } = newsroom.coverage;
  await fetch(`${site.url}/live/${slug}/part`);
  await wordpress.php(`return update_option( 'stoppress_site', ${phpText(site.url)} );`);
  const visitor = await visit({ viewport: { width: 1440, height: 900 } });
  visitor.expectError(MISSING_FILES);
  const { page } = visitor;
  // The editor loads pictures from WordPress's own servers.
  await page.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  const { cookie = '' } = await wordpress.signIn('author');
  await page.context().addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return { name, value, url: wordpress.url };
    }),
  );
  await page.goto(`${wordpress.url}/wp-admin/post-new.php`);
  await page.waitForFunction(() =>
    (window as EditorWindow).wp?.data.select('core/editor').getCurrentPostId?.(),
  );
  await page.evaluate(() => {
    const { wp } = window as EditorWindow;
    wp?.data.dispatch('core/preferences').set?.('core/edit-post', 'welcomeGuide', false);
    wp?.data.dispatch('core/block-editor').insertBlocks?.(wp.blocks.createBlock('stoppress/live-coverage'));
  });

  const canvas = page.frameLocator('iframe[name="editor-canvas"]');
  await canvas.getByLabel('Coverage', { exact: true }).selectOption(slug);
  await canvas.getByText('Seen in the editor').waitFor();
  await page.getByLabel('Layout', { exact: true }).selectOption('newest');
  await page.getByLabel('Number of updates').waitFor({ state: 'detached' });

  const post = await page.evaluate(async () => {
    const { wp } = window as EditorWindow;
    const editor = wp?.data.dispatch('core/editor');
    editor?.editPost?.({ title: 'By the author', status: 'publish' });
    await editor?.savePost?.();
    return wp?.data.select('core/editor').getPermalink?.() as string;
  });
  const html = await (await fetch(post)).text();
  expect(html).toContain('Seen in the editor');
  expect(html).toContain('data-layout="newest"');
});

test('keeps the post when the server of the site is killed', async ({
  site,
  newsroom,
  wordpress,
  visit,
  publishPost,
}) => {
  await newsroom.publish({ headline: 'Before the end' });
  const post = await publishPost(newsroom.coverage.slug);
  const visitor = await visit();
  visitor.expectError(MISSING_FILES);
  const { page } = visitor;
  await openPost(page, wordpress, post);
  expect(await block(page).innerText()).toContain('Before the end');

  await site.stopProcess();
  // The open page says so, and still shows everything.
  await soon('The open page says that the site is away', async () =>
    (await block(page).innerText()).includes('The live page cannot be reached.'),
  );
  expect(await block(page).innerText()).toContain('Before the end');
  expect(await (await fetch(post)).text()).toContain('Before the end');
  expect((await wordpress.log()).split('\n').filter((line) => line.includes('plugins/stoppress'))).toEqual(
    [],
  );
});
