import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test as base } from '../support/browser.ts';
import {
  countScripts,
  followLive,
  type LivePage,
  openLivePage,
  withoutSockets,
} from '../support/live-page.ts';
import { longParagraph, type Newsroom, paragraph, type SavedUpdate } from '../support/newsroom.ts';
import { ALT, addPhoto, announcePhoto, makePhoto, processPhoto, uploadPhoto } from '../support/photos.ts';
import { seededRandom } from '../support/random.ts';

const test = base.extend('environment', withoutSockets);

const CHANGES = /\/changes\?after=/;

const publishMany = async (newsroom: Newsroom, count: number) => {
  const saved: SavedUpdate[] = [];
  for (let n = 1; n <= count; n++) saved.push(await newsroom.publish({ headline: `Headline ${n}` }));
  return (number: number) => saved[number - 1] as SavedUpdate;
};

const focused = (page: Page) => page.evaluate(() => document.activeElement?.closest('[id]')?.id);

/** Waits until an update shows a text, because the status line does not show that a response was applied. */
const expectText = (reader: LivePage, number: number, text: string) =>
  expect.poll(() => reader.text(number)).toContain(text);

test('leaves an update with focus unchanged until it loses focus', async ({ newsroom, visit }) => {
  const saved = await publishMany(newsroom, 6);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-3 .when a:first-child').focus();
  await newsroom.revise(saved(3), { headline: 'Revised' });
  await newsroom.revise(saved(5), { headline: 'Revised too' });
  await reader.nextCheck();
  await expectText(reader, 5, 'Revised too');
  expect(await reader.text(3)).toContain('Headline 3');
  expect(await focused(page)).toBe('update-3');
  await page.locator('#update-2 .when a:first-child').focus();
  await expectText(reader, 3, 'Revised');
  expect(await focused(page)).toBe('update-2');
});

test('leaves an update with selected text unchanged until the selection ends', async ({
  newsroom,
  visit,
}) => {
  const saved = await publishMany(newsroom, 6);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-3 > p:not([class])').selectText();
  await newsroom.revise(saved(3), { headline: 'Revised' });
  await newsroom.publish({ headline: 'Headline 7' });
  await reader.nextCheck();
  // At the top of the page as well, because new updates would move the selection.
  await page.getByRole('button', { name: '1 new update' }).waitFor();
  expect(await reader.text(3)).toContain('Headline 3');
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await expectText(reader, 3, 'Revised');
});

test('removes withdrawn content at once everywhere, even with focus', async ({ newsroom, visit }) => {
  const saved = await publishMany(newsroom, 6);
  const event = await newsroom.publish({ headline: 'A wrong event', key_event: true });
  await newsroom.pin(event);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const pending = await newsroom.publish({ headline: 'Wrong as well' });
  await page.locator('#update-7 .when a:first-child').focus();
  await reader.scrollTo(3);
  await reader.nextCheck();
  await page.getByRole('button', { name: '1 new update' }).waitFor();
  // A part with selected text would wait for any other change.
  await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('#pinned') as Element));

  await newsroom.withdraw(event, 'It did not happen.');
  await newsroom.withdraw(pending, 'Nor did this.');
  await newsroom.withdraw(saved(1), 'Nor this.');
  await reader.nextCheck();
  await expectText(reader, 7, 'It did not happen.');
  expect(await page.locator('main').innerText()).not.toMatch(/A wrong event|Headline 1$/m);
  expect(await page.locator('#pinned').isVisible()).toBe(false);
  expect(await page.locator('#key-events').isVisible()).toBe(false);
  expect(await focused(page)).toBe('update-7');
  // No readable update is waiting any more. The tombstone arrives with the next update.
  expect(await page.getByRole('button', { name: /new update/ }).count()).toBe(0);
  expect(await page.title()).toMatch(/^The river/);
  await newsroom.publish({ headline: 'Headline 9' });
  await reader.nextCheck();
  await page.getByRole('button', { name: '1 new update' }).click();
  expect(await reader.numbers()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(await reader.text(8)).toContain('Nor did this.');
});

test('keeps unfolded text unfolded', async ({ newsroom, visit }) => {
  const body = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => longParagraph(`Part ${n}`));
  const long = await newsroom.publish({ headline: 'Long', body });
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-1 summary').click();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await newsroom.revise(long, { headline: 'Long and revised', body });
  await reader.nextCheck();
  await expectText(reader, 1, 'Long and revised');
  expect(await page.locator('#update-1 details').evaluate((fold: HTMLDetailsElement) => fold.open)).toBe(
    true,
  );
});

/** Text that compresses badly, because pages shorten long updates by their compressed size. */
const unalike = (part: number) => {
  const { below } = seededRandom(part);
  return Array.from({ length: 22 }, () => `${below(2 ** 32).toString(36)} and still`).join(' ');
};

test('keeps the reading position in unfolded text when the update is corrected', async ({
  newsroom,
  visit,
}) => {
  const body = (first: string) => [
    longParagraph(first),
    ...Array.from({ length: 22 }, (_, n) => paragraph(unalike(n))),
  ];
  const long = await newsroom.publish({ headline: 'Long', body: body('As it was') });
  await publishMany(newsroom, 6);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-1 summary').click();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  const passage = page.locator('#update-1 details > p').nth(12);
  await passage.evaluate((part) => part.scrollIntoView({ block: 'start' }));
  const [text, y] = [await passage.innerText(), (await passage.boundingBox())?.y ?? Number.NaN];
  expect((await page.locator('#update-1 details').innerText()).length).toBeGreaterThan(5_000);
  await newsroom.correct(long, { headline: 'Long', body: body('As it is') }, 'It was otherwise.');
  await reader.nextCheck();
  await expectText(reader, 1, 'As it is');
  expect(await passage.innerText()).toBe(text);
  expect(Math.abs(((await passage.boundingBox())?.y ?? Number.NaN) - y)).toBeLessThanOrEqual(1);
});

test('adds new updates under the headings of their days', async ({ site, newsroom, visit }) => {
  const item = (published_at: string) => ({
    id: randomUUID(),
    published_at,
    content: { body: [paragraph('Then.')] },
  });
  const importUpdates = async (...times: string[]) => {
    const { error } = await site.service.rpc('import_updates', {
      coverage_id: newsroom.coverage.id,
      items: times.map(item),
    });
    expect(error).toBeNull();
  };
  await importUpdates('2026-03-01T12:00:00Z', '2026-03-02T12:00:00Z');
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const list = () =>
    page
      .locator('#updates > *')
      .evaluateAll((all) => all.map((one) => one.dataset.number ?? one.dataset.day));
  expect(await list()).toEqual(['2026-03-02', '2', '2026-03-01', '1']);
  await importUpdates('2026-03-02T23:00:00Z', '2026-03-03T00:00:00Z', '2026-03-03T08:00:00Z');
  await reader.nextCheck();
  await expect.poll(list).toEqual(['2026-03-03', '5', '4', '2026-03-02', '3', '2', '2026-03-01', '1']);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([6, 5, 4, 3, 2, 1]);
  expect((await list()).slice(1, 4)).toEqual(['6', '2026-03-03', '5']);
});

test('ignores repeated and outdated responses', async ({ site, newsroom, visit }) => {
  const saved = await publishMany(newsroom, 3);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const url = `${site.url}/live/${newsroom.coverage.slug}/changes?after=`;
  await newsroom.publish({ headline: 'Headline 4' });
  const revised = await newsroom.revise(saved(2), { headline: 'Revised once' });
  const old = await (await fetch(`${url}4`)).text();
  await newsroom.revise(revised, { headline: 'Revised twice' });
  await reader.nextCheck();
  await expectText(reader, 2, 'Revised twice');
  // As a cache that breaks the rules might.
  await page.route(CHANGES, (route) =>
    route.fulfill({ contentType: 'text/html', body: old.replace(/data-through="\d+"/, 'data-through="7"') }),
  );
  await reader.nextCheck();
  await page.unroute(CHANGES);
  await newsroom.publish({ headline: 'Headline 5' });
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([5, 4, 3, 2, 1]);
  expect(await reader.text(2)).toContain('Revised twice');
});

test('keeps the reading position on a wide screen with its side rail', async ({ newsroom, visit }) => {
  const saved = await publishMany(newsroom, 12);
  await newsroom.setSummary([longParagraph('Summary')]);
  const { page } = await visit({ viewport: { width: 1440, height: 900 } });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await reader.scrollTo(4);
  const { y } = await reader.positionOf(4);
  await newsroom.revise(saved(9), {
    headline: 'Revised',
    body: [longParagraph('A'), longParagraph('B'), longParagraph('C')],
  });
  await newsroom.setSummary([longParagraph('Summary'), longParagraph('More'), longParagraph('Yet more')]);
  await newsroom.pin(saved(7));
  await reader.nextCheck();
  await expectText(reader, 9, 'Revised');
  expect(Math.abs((await reader.positionOf(4)).y - y)).toBeLessThanOrEqual(1);
});

/** Replaces the connection that the browser reports. */
const setConnection = (page: Page, saveData: boolean) =>
  page.addInitScript((connection) => Object.defineProperty(navigator, 'connection', { value: connection }), {
    saveData,
    effectiveType: '4g',
    rtt: 50,
  });

test('adds a photo that arrives later without moving the text that is read', async ({
  site,
  newsroom,
  visit,
}) => {
  const id = await announcePhoto(newsroom);
  const photo = { type: 'photo', photo: id } as const;
  await publishMany(newsroom, 6);
  await newsroom.publish({ body: [paragraph('Before it.'), photo, paragraph('After it.')] });
  const { page } = await visit();
  await setConnection(page, false);
  const scripts: string[] = [];
  page.on('request', (request) => void scripts.push(request.url()));
  const reader = await openLivePage(page, newsroom.coverage.slug);
  expect(
    scripts.filter((url) => /photos/.test(url)),
    'a page without photos',
  ).toEqual([]);

  await uploadPhoto(newsroom, id, await makePhoto());
  await processPhoto(site, id);
  await reader.scrollTo(3);
  const before = await reader.positionOf(3);
  await reader.nextCheck();
  const picture = page.locator('#update-7').getByRole('img', { name: ALT });
  await picture.waitFor({ state: 'attached' });
  expect((await reader.positionOf(3)).y).toBeCloseTo(before.y, 0);
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.currentSrc)).toContain('/480');
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
});

test('shows a placeholder with alt text for a photo while data is saved, until the reader requests it', async ({
  site,
  newsroom,
  visit,
}) => {
  const { id, block } = await addPhoto(site, newsroom);
  const update = await newsroom.publish({ body: [paragraph('Look.'), block] });
  const { page } = await visit();
  await setConnection(page, true);
  const fetched: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes(`/photos/${id}`)) fetched.push(request.url());
  });
  const scripts = countScripts(page);
  const picture = page.getByRole('img', { name: ALT });
  const reader = await openLivePage(page, newsroom.coverage.slug, async () => {
    const frame = page.locator('.frame');
    const height = (await frame.boundingBox())?.height;
    await page.getByText(ALT).waitFor();
    expect(fetched).toEqual([]);
    await page.getByRole('link', { name: 'Show photo, 1 KB' }).click();
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0);
    expect(fetched).toEqual([`${site.url}/photos/${id}/480`]);
    expect((await frame.boundingBox())?.height).toBe(height);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('IMG');
    expect(scripts()).toBe(0);
    await followLive(page).click();
  });
  // The next version shows the photo without another request.
  await newsroom.revise(update, { body: [paragraph('Look again.'), block] });
  await page.locator('.nameplate a').focus();
  const answered = page.waitForResponse(CHANGES);
  // Pages check less often while data is saved.
  await page.clock.fastForward(45_000);
  await answered;
  await expectText(reader, 1, 'Look again.');
  await picture.waitFor();
});
