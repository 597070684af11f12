import { expect } from 'vitest';
import { running } from '../../src/lib/i18n/en/desk.ts';
import { reader as messages } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings, test } from '../support/browser.ts';
import { signInWithoutForm } from '../support/sign-in.ts';

test('copies the address of an update or coverage and announces it', async ({ newsroom, visit }) => {
  const update = await newsroom.publish({ headline: 'One' });
  const { page } = await visit();
  await page.addInitScript(() => {
    const writeText = async (text: string) => void Object.assign(window, { copied: text });
    Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
    Reflect.deleteProperty(Navigator.prototype, 'share');
  });
  const live = `/live/${newsroom.coverage.slug}`;
  const copied = () => page.evaluate(() => Reflect.get(window, 'copied') as string | undefined);
  for (const path of [live, `${live}/${update.number}`]) {
    await page.goto(path);
    await page.getByRole('link', { name: messages.shareUpdate(update.number) }).click();
    await page.getByRole('status').filter({ hasText: messages.linkCopied }).waitFor();
    expect(await copied()).toMatch(new RegExp(`^http.*${live}/${update.number}$`));
  }
  await page.goto(live);
  await page.getByRole('link', { name: messages.share, exact: true }).click();
  await expect.poll(copied).toMatch(new RegExp(`^http.*${live}$`));
  await newsroom.setState('ended');
  await page.goto(`${live}/timeline`);
  await page.getByRole('link', { name: messages.share, exact: true }).click();
  await expect.poll(copied).toMatch(new RegExp(`^http.*${live}/timeline$`));
});

test('opens the share dialog of the device, and does nothing when the reader closes it', async ({
  newsroom,
  visit,
}) => {
  const update = await newsroom.publish({ headline: 'One' });
  const { page } = await visit();
  await page.addInitScript(() => {
    const share = async (data: ShareData) => {
      Object.assign(window, { shared: data });
      throw new DOMException('closed', 'AbortError');
    };
    Object.defineProperty(Navigator.prototype, 'share', { value: share, configurable: true });
  });
  const live = `/live/${newsroom.coverage.slug}`;
  await page.goto(live);
  const shared = () => page.evaluate(() => Reflect.get(window, 'shared') as ShareData);
  await page.getByRole('link', { name: messages.shareUpdate(update.number) }).click();
  await expect.poll(shared).toEqual({ title: 'One', url: expect.stringMatching(/\/live\/[^/]+\/1$/) });
  expect(await page.locator('#share-status').innerText()).toBe('');
  expect(new URL(page.url()).pathname).toBe(live);

  // The coverage is shared by its title, without the number of updates that wait.
  const title = await page.title();
  await page.evaluate(() => {
    document.title = `(3) ${document.title}`;
  });
  await page.getByRole('link', { name: messages.share, exact: true }).click();
  await expect.poll(shared).toEqual({ title, url: expect.stringMatching(/\/live\/[^/]+$/) });
  // So is an update without a headline.
  const second = await newsroom.publish();
  await page.goto(`${live}/${second.number}`);
  await page.getByRole('link', { name: messages.shareUpdate(second.number) }).click();
  await expect
    .poll(async () => (await shared()).title)
    .toContain(messages.updateOf(second.number, 'The river rises at Harrow Bridge'));
});

test('leads to the page of the update without a script', async ({ newsroom, visit }) => {
  const update = await newsroom.publish({ headline: 'One' });
  const { page } = await visit({ javaScriptEnabled: false });
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await page.getByRole('link', { name: messages.shareUpdate(update.number) }).click();
  expect(new URL(page.url()).pathname).toBe(`/live/${newsroom.coverage.slug}/${update.number}`);
});

test('links to the text of a coverage where it cannot be copied, and copies it otherwise', async ({
  newsroom,
  visit,
}) => {
  await newsroom.publish({ headline: 'The pump is back' });
  const { page, expectError } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await signInWithoutForm(page, newsroom.people.editor);
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  const brief = `/live/${newsroom.coverage.slug}/brief.txt`;
  const copy = page.getByRole('button', { name: running.copyBrief.copy });
  await page.waitForFunction(() => !document.querySelector('astro-island[ssr]:not(details *)'));
  await page.locator('.state-button').click();
  await page.route(`**${brief}`, (route) => route.abort());
  expectError(/ERR_FAILED/);
  await copy.click();
  const link = page.getByRole('link', { name: running.copyBrief.open });
  expect(await link.getAttribute('href')).toBe(brief);
  await expectNoAxeFindings(page);
  await page.unroute(`**${brief}`);
  await copy.click();
  await page.getByRole('status').filter({ hasText: running.copyBrief.copied }).waitFor();
  expect(await copy.isVisible()).toBe(false);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('The pump is back');
  expect(copied).toBe(await (await page.request.get(brief)).text());
});
