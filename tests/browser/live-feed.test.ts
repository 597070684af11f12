import { expect } from 'vitest';
import { machineTime } from '../../src/lib/domain/time.ts';
import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import { test as base } from '../support/browser.ts';
import { openLivePage, watchLayoutShifts, withoutSockets } from '../support/live-page.ts';
import { call, longParagraph, paragraph, type SavedUpdate } from '../support/newsroom.ts';

const test = base.extend('environment', withoutSockets);

/** Number of the update that the reader reads, below all changes. */
const READ = 4;

test('applies changes within one check without moving the text that is read', async ({ newsroom, visit }) => {
  const updates = [];
  for (let n = 1; n <= 12; n++) updates.push(await newsroom.publish({ headline: `Headline ${n}` }));
  const [sixth, seventh, eighth] = updates.slice(5) as [SavedUpdate, SavedUpdate, SavedUpdate];
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await reader.scrollTo(READ);
  const place = await reader.positionOf(READ);
  const expectSamePlace = async () => {
    const now = await reader.positionOf(READ);
    expect({ x: now.x, width: now.width }).toEqual({ x: place.x, width: place.width });
    // Windows scroll by whole pixels, but lines of text have fractional heights.
    expect(Math.abs(now.y - place.y)).toBeLessThanOrEqual(1);
  };

  await newsroom.publish({ headline: 'The bridge is closed' });
  await reader.nextCheck();
  await page.getByRole('button', { name: '1 new update' }).waitFor();
  expect(await page.title()).toMatch(/^\(1\) The river rises/);
  expect(await reader.numbers()).not.toContain(13);
  await expectSamePlace();

  await newsroom.revise(eighth, {
    headline: 'Headline 8, revised',
    body: [longParagraph('A'), longParagraph('B'), longParagraph('C')],
  });
  await reader.nextCheck();
  await expect.poll(() => reader.text(8)).toContain('Headline 8, revised');
  await expectSamePlace();

  await newsroom.correct(seventh, { headline: 'Headline 7' }, 'The school is open.');
  await reader.nextCheck();
  await expect.poll(() => reader.text(7)).toContain('The school is open.');
  await expectSamePlace();

  await newsroom.withdraw(sixth, 'It was about another river.');
  await reader.nextCheck();
  await expect.poll(() => reader.text(6)).toContain('It was about another river.');
  expect(await reader.text(6)).not.toContain('Headline 6');
  await expectSamePlace();

  await newsroom.setSummary([paragraph('The water is still rising.'), longParagraph('Summary')]);
  await newsroom.pin(eighth);
  await newsroom.publish({ headline: 'A key event', key_event: true });
  await reader.nextCheck();
  await expect.poll(() => page.locator('#pinned').innerText()).toContain('Headline 8, revised');
  // Collapsed on a phone.
  expect(await page.locator('#summary').textContent()).toContain('The water is still rising.');
  expect(await page.locator('#key-events').textContent()).toContain('A key event');
  await page.getByRole('button', { name: '2 new updates' }).waitFor();
  await expectSamePlace();
});

test('adds new updates in order from the bar, focuses the newest and shifts nothing else', async ({
  newsroom,
  visit,
}) => {
  for (let n = 1; n <= 5; n++) await newsroom.publish();
  const { page } = await visit();
  const shifts = await watchLayoutShifts(page);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  expect(await shifts(), 'after hydration').toEqual([]);
  await reader.scrollTo(2);
  await newsroom.publish();
  await newsroom.publish();
  await reader.nextCheck();
  await page.getByRole('button', { name: '2 new updates' }).waitFor();
  expect(await shifts(), 'after new updates').toEqual([]);
  await page.getByRole('button', { name: '2 new updates' }).click();
  expect(await reader.numbers()).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(await shifts(), 'after pressing the bar').toEqual([]);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('update-7');
  await expect.poll(async () => (await reader.positionOf(7)).y).toBeLessThan(200);
  expect(await page.getByRole('button', { name: /new update/ }).count()).toBe(0);
  expect(await page.title()).toMatch(/^The river rises/);
});

test('shifts no content while the page hydrates, checks rarely, loses its connection, gets outdated and ends', async ({
  newsroom,
  visit,
}) => {
  const { people, coverage, publish, setState } = newsroom;
  const save = (version: number, content: Record<string, unknown>) =>
    call(people.editor.client, 'save_coverage', { coverage_id: coverage.id, version, content });
  // A long time zone name makes the longest possible status.
  const { data } = await people.editor.client
    .from('coverages')
    .select('version')
    .eq('id', coverage.id)
    .single();
  await save(data?.version, { time_zone: 'Asia/Kathmandu', check_interval_seconds: 60 });
  for (let n = 1; n <= 3; n++) await publish();
  const open = async (width: number) => {
    const { page } = await visit({ viewport: { width, height: 740 } });
    await page.route(`**/live/${coverage.slug}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: aDayEarlier(await response.text()) });
    });
    const shifts = await watchLayoutShifts(page);
    const reader = await openLivePage(page, coverage.slug);
    return { width, page, shifts, reader, pause: page.getByRole('button', { name: feed.pause }) };
  };
  const screens = await Promise.all([320, 390, 1440].map(open));
  const each = async (event: string, act: (screen: (typeof screens)[number]) => Promise<unknown>) => {
    for (const screen of screens) {
      await act(screen);
      expect(await screen.shifts(), `${screen.width} px: ${event}`).toEqual([]);
    }
  };
  await each('checks rarely', async ({ page, reader }) => {
    await page.getByText(feed.every(60)).waitFor();
    expect(await reader.status()).toMatch(/Updated \d\d:\d\d GMT\+5:45$/);
  });
  await each('loses its connection', async ({ page, reader }) => {
    await page.context().setOffline(true);
    await expect.poll(reader.status).toMatch(/^Offline/);
  });
  await each('reconnects', async ({ page, reader }) => {
    await page.context().setOffline(false);
    await expect.poll(reader.status).toMatch(/^Live/);
  });
  await save(data?.version + 1, { headline: 'Another headline' });
  await each('a newer edition', async ({ page, pause }) => {
    const before = await pause.boundingBox();
    await page.clock.runFor(60_000);
    await page.getByRole('link', { name: feed.reload.newer }).waitFor();
    expect(await pause.boundingBox()).toEqual(before);
  });
  await setState('ended');
  await each('ends', async ({ page, reader }) => {
    await page.clock.runFor(60_000);
    await expect.poll(reader.status).toMatch(/^Ended/);
  });
});

/** The HTML of a live page with all updates published a day earlier. */
const aDayEarlier = (html: string) =>
  html.replaceAll(/(Updated )?<time datetime="([^"]+)">/g, (whole, word, at) => {
    if (word) return whole;
    const before = new Date(Date.parse(at) - 24 * 3600_000);
    return `<time datetime="${machineTime(before)}">`;
  });

test('adds new updates at the top of the page and announces them once', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const announced = page.locator('#coverage').getByRole('status');
  expect(await announced.textContent()).toBe('');
  await newsroom.publish({ headline: 'The first' });
  await newsroom.publish({ headline: 'The second' });
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([2, 1]);
  expect(await announced.textContent()).toBe('2 new updates');
  expect(await page.locator('#updates > .day').count()).toBe(1);
  await reader.nextCheck();
  await expect.poll(() => announced.textContent()).toBe('');
});
