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
import { type Newsroom, paragraph, type Saved, words } from '../support/newsroom.ts';
import { ALT, addPhoto, announcePhoto, makePhoto, processPhoto, uploadPhoto } from '../support/photos.ts';

const test = base.extend('environment', withoutSockets);

const CHANGES = /\/changes\?after=/;

const publishMany = async (newsroom: Newsroom, count: number) => {
  const saved: Saved[] = [];
  for (let n = 1; n <= count; n++) saved.push(await newsroom.publish({ headline: `Headline ${n}` }));
  return (number: number) => saved[number - 1] as Saved;
};

const focused = (page: Page) => page.evaluate(() => document.activeElement?.closest('[id]')?.id);

/** Has the page taken in what it was last told? The status line's markup is the same, so it asks the list. */
const shows = (reader: LivePage, number: number, text: string) =>
  expect.poll(() => reader.text(number)).toContain(text);

test('an update that the reader has the focus in is left alone until they leave it', async ({
  newsroom,
  visit,
}) => {
  const saved = await publishMany(newsroom, 6);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-3 .when a').focus();
  await newsroom.revise(saved(3), { headline: 'Mended' });
  await newsroom.revise(saved(5), { headline: 'Mended too' });
  await reader.nextCheck();
  await shows(reader, 5, 'Mended too');
  expect(await reader.text(3)).toContain('Headline 3');
  expect(await focused(page)).toBe('update-3');
  await page.locator('#update-2 .when a').focus();
  await shows(reader, 3, 'Mended');
  expect(await focused(page)).toBe('update-2');
});

test('an update that the reader has selected from is left alone until the selection is gone', async ({
  newsroom,
  visit,
}) => {
  const saved = await publishMany(newsroom, 6);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-3 > p:not([class])').selectText();
  await newsroom.revise(saved(3), { headline: 'Mended' });
  await newsroom.publish({ headline: 'Headline 7' });
  await reader.nextCheck();
  // Even at the head of the page: putting it in would move what is being selected.
  await page.getByRole('button', { name: '1 new update' }).waitFor();
  expect(await reader.text(3)).toContain('Headline 3');
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await shows(reader, 3, 'Mended');
});

test('what is withdrawn goes at once wherever it stands, even from under the focus', async ({
  newsroom,
  visit,
}) => {
  const saved = await publishMany(newsroom, 6);
  const event = await newsroom.publish({ headline: 'A wrong event', key_event: true });
  await newsroom.pin(event);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const held = await newsroom.publish({ headline: 'Wrong as well' });
  await page.locator('#update-7 .when a').focus();
  await reader.scrollTo(3);
  await reader.nextCheck();
  await page.getByRole('button', { name: '1 new update' }).waitFor();

  await newsroom.withdraw(event, 'It did not happen.');
  await newsroom.withdraw(held, 'Nor did this.');
  await newsroom.withdraw(saved(1), 'Nor this.');
  await reader.nextCheck();
  await shows(reader, 7, 'It did not happen.');
  expect(await page.locator('main').innerText()).not.toMatch(/A wrong event|Headline 1$/m);
  expect(await page.locator('#pinned').isVisible()).toBe(false);
  expect(await page.locator('#key-events').isVisible()).toBe(false);
  expect(await focused(page)).toBe('update-7');
  // Nothing that can be read is held any more; the tombstone takes its place with the next update.
  expect(await page.getByRole('button', { name: /new update/ }).count()).toBe(0);
  expect(await page.title()).toMatch(/^The river/);
  await newsroom.publish({ headline: 'Headline 9' });
  await reader.nextCheck();
  await page.getByRole('button', { name: '1 new update' }).click();
  expect(await reader.numbers()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(await reader.text(8)).toContain('Nor did this.');
});

test('what the reader has unfolded stays unfolded', async ({ newsroom, visit }) => {
  const body = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => words(`Part ${n}`));
  const long = await newsroom.publish({ headline: 'Long', body });
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-1 summary').click();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await newsroom.revise(long, { headline: 'Long and mended', body });
  await reader.nextCheck();
  await shows(reader, 1, 'Long and mended');
  expect(await page.locator('#update-1 details').evaluate((fold: HTMLDetailsElement) => fold.open)).toBe(
    true,
  );
});

/** Words that pack badly: what is told of them is weighed. */
const unalike = (part: number) =>
  Array.from(
    { length: 22 },
    (_, n) => `${(Math.imul(part * 22 + n + 1, 2654435761) >>> 0).toString(36)} and still`,
  ).join(' ');

test('who reads in an open fold reads on there when the update is corrected', async ({ newsroom, visit }) => {
  const body = (mended: string) => [
    words(mended),
    ...Array.from({ length: 22 }, (_, n) => paragraph(unalike(n))),
  ];
  const long = await newsroom.publish({ headline: 'Long', body: body('As it was') });
  await publishMany(newsroom, 6);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.locator('#update-1 summary').click();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  const read = page.locator('#update-1 details > p').nth(12);
  await read.evaluate((part) => part.scrollIntoView({ block: 'start' }));
  const [text, y] = [await read.innerText(), (await read.boundingBox())?.y ?? Number.NaN];
  expect((await page.locator('#update-1 details').innerText()).length).toBeGreaterThan(5_000);
  await newsroom.correct(long, { headline: 'Long', body: body('As it is') }, 'It was otherwise.');
  await reader.nextCheck();
  await shows(reader, 1, 'As it is');
  expect(await read.innerText()).toBe(text);
  expect(Math.abs(((await read.boundingBox())?.y ?? Number.NaN) - y)).toBeLessThanOrEqual(1);
});

test('a new day begins under its own heading, and an old one keeps its own', async ({
  site,
  newsroom,
  visit,
}) => {
  const item = (published_at: string) => ({
    id: randomUUID(),
    published_at,
    content: { body: [paragraph('Then.')] },
  });
  const bring = async (...times: string[]) => {
    const { error } = await site.service.rpc('import_updates', {
      coverage_id: newsroom.coverage.id,
      items: times.map(item),
    });
    expect(error).toBeNull();
  };
  await bring('2026-03-01T12:00:00Z', '2026-03-02T12:00:00Z');
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const list = () =>
    page
      .locator('#updates > *')
      .evaluateAll((all) => all.map((one) => one.dataset.number ?? one.dataset.day));
  expect(await list()).toEqual(['2026-03-02', '2', '2026-03-01', '1']);
  await bring('2026-03-02T23:00:00Z', '2026-03-03T00:00:00Z', '2026-03-03T08:00:00Z');
  await reader.nextCheck();
  await expect.poll(list).toEqual(['2026-03-03', '5', '4', '2026-03-02', '3', '2', '2026-03-01', '1']);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([6, 5, 4, 3, 2, 1]);
  expect((await list()).slice(1, 4)).toEqual(['6', '2026-03-03', '5']);
});

test('an answer told twice or out of its time changes nothing', async ({ site, newsroom, visit }) => {
  const saved = await publishMany(newsroom, 3);
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const url = `${site.url}/live/${newsroom.coverage.slug}/changes?after=`;
  await newsroom.publish({ headline: 'Headline 4' });
  const mended = await newsroom.revise(saved(2), { headline: 'Mended once' });
  const old = await (await fetch(`${url}4`)).text();
  await newsroom.revise(mended, { headline: 'Mended twice' });
  await reader.nextCheck();
  await shows(reader, 2, 'Mended twice');
  // As a cache might that does not keep the rules.
  await page.route(CHANGES, (route) =>
    route.fulfill({ contentType: 'text/html', body: old.replace(/data-through="\d+"/, 'data-through="7"') }),
  );
  await reader.nextCheck();
  await page.unroute(CHANGES);
  await newsroom.publish({ headline: 'Headline 5' });
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([5, 4, 3, 2, 1]);
  expect(await reader.text(2)).toContain('Mended twice');
});

test('on a wide screen, where the rail stays in view, the reader stays where they are too', async ({
  newsroom,
  visit,
}) => {
  const saved = await publishMany(newsroom, 12);
  await newsroom.setSummary([words('Summary')]);
  const { page } = await visit({ viewport: { width: 1440, height: 900 } });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await reader.scrollTo(4);
  const { y } = await reader.positionOf(4);
  await newsroom.revise(saved(9), { headline: 'Mended', body: [words('A'), words('B'), words('C')] });
  await newsroom.setSummary([words('Summary'), words('More'), words('Yet more')]);
  await newsroom.pin(saved(7));
  await reader.nextCheck();
  await shows(reader, 9, 'Mended');
  expect(Math.abs((await reader.positionOf(4)).y - y)).toBeLessThanOrEqual(1);
});

/** What a browser says of its line. */
const onLine = (page: Page, saveData: boolean) =>
  page.addInitScript((connection) => Object.defineProperty(navigator, 'connection', { value: connection }), {
    saveData,
    effectiveType: '4g',
    rtt: 50,
  });

test('a photo comes to a page that had none, where its update stands, and nothing that is read moves', async ({
  site,
  newsroom,
  visit,
}) => {
  const id = await announcePhoto(newsroom);
  const photo = { type: 'photo', photo: id } as const;
  await publishMany(newsroom, 6);
  await newsroom.publish({ body: [paragraph('Before it.'), photo, paragraph('After it.')] });
  const { page } = await visit();
  await onLine(page, false);
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

test('on a line where bytes count a photo is a place with its words until it is asked for', async ({
  site,
  newsroom,
  visit,
}) => {
  const { id, block } = await addPhoto(site, newsroom);
  const update = await newsroom.publish({ body: [paragraph('Look.'), block] });
  const { page } = await visit();
  await onLine(page, true);
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
  // It is shown in the next version too, without being asked for again.
  await newsroom.revise(update, { body: [paragraph('Look again.'), block] });
  await page.locator('.nameplate a').focus();
  const answered = page.waitForResponse(CHANGES);
  // Such a line is asked less often.
  await page.clock.fastForward(45_000);
  await answered;
  await shows(reader, 1, 'Look again.');
  await picture.waitFor();
});
