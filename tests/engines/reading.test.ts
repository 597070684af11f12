import { describe, expect } from 'vitest';
import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import { reader as words } from '../../src/lib/i18n/en/reader.ts';
import type { EnginePage } from '../support/engines/page.ts';
import { test } from '../support/engines/test.ts';
import { call, type Newsroom, longParagraph as someWords } from '../support/newsroom.ts';
import { waitUntilFollowed } from './following.ts';

const livePath = ({ coverage }: Newsroom) => `/live/${coverage.slug}`;

/** The numbers of the updates on the page, from top to bottom. */
const numbersOn = (page: EnginePage) =>
  page.locator('#updates > article').evaluateAll((all) => all.map((one) => Number(one.dataset.number)));

const textOf = (page: EnginePage, number: number) => page.locator(`#update-${number}`).innerText();

/** Sets how readers follow a coverage. */
async function setFollowing(
  { people, coverage }: Newsroom,
  reader_follow_mode: 'sockets' | 'checks',
  check_interval_seconds: number,
): Promise<void> {
  const { client } = people.editor;
  const { data } = await client.from('coverages').select('version').eq('id', coverage.id).single();
  const content = { reader_follow_mode, check_interval_seconds };
  await call(client, 'save_coverage', { coverage_id: coverage.id, version: data?.version, content });
}

/** Opens the live page and waits until it is followed. */
async function openLivePage(page: EnginePage, newsroom: Newsroom): Promise<void> {
  await page.goto(livePath(newsroom));
  await waitUntilFollowed(page);
}

describe('the live page', () => {
  test('says everything without JavaScript', async ({ newsroom, visit }) => {
    const first = await newsroom.publish({ headline: 'One' });
    const second = await newsroom.publish({ headline: 'Two' });
    await newsroom.publish({ headline: 'Three', key_event: true });
    await newsroom.correct(first, { headline: 'One' }, 'It was one, not two.');
    await newsroom.withdraw(second, 'It was not so.');
    const { page } = await visit({ javaScriptEnabled: false });

    await page.goto(livePath(newsroom));

    const text = await page.locator('main').innerText();
    for (const part of ['The river rises', 'It was one, not two.', 'It was not so.', 'Three'])
      expect(text).toContain(part);
    await newsroom.publish({ headline: 'Four' });
    await page.getByRole('link', { name: words.status.check }).click();
    await expect.poll(() => page.locator('#updates > article h3').first().innerText()).toBe('Four');
  });

  test('leads to older updates and back', async ({ newsroom, visit }) => {
    for (let n = 1; n <= 22; n++) await newsroom.publish();
    const { page } = await visit();
    await openLivePage(page, newsroom);
    const newest = await numbersOn(page);

    await page.getByRole('link', { name: words.older }).click();

    await page.getByRole('link', { name: words.newer }).first().waitFor();
    const older = await numbersOn(page);
    expect([...newest, ...older]).toEqual(Array.from({ length: 22 }, (_, n) => 22 - n));
    await page.getByRole('link', { name: words.newer }).first().click();
    await expect.poll(() => numbersOn(page)).toEqual(newest);
  });

  test('unfolds a long update, leaves it open when it is revised, and folds it again', async ({
    newsroom,
    visit,
  }) => {
    await setFollowing(newsroom, 'sockets', 300);
    const body = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => someWords(`Part ${n}`));
    const long = await newsroom.publish({ headline: 'Long', body });
    const { page } = await visit();
    await openLivePage(page, newsroom);
    const fold = page.locator('#update-1 summary');
    const last = page.getByText('Part 8.');
    expect(await last.count()).toBe(0);

    await fold.click();
    await last.waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await newsroom.revise(long, { headline: 'Long and mended', body });
    await expect.poll(() => textOf(page, 1)).toContain('Long and mended');
    await last.waitFor();

    await fold.click();
    await last.waitFor({ state: 'hidden' });
  });
});

describe('an open live page', () => {
  test.for([
    { by: 'socket', follow: 'sockets', interval: 300 },
    { by: 'polling', follow: 'checks', interval: 10 },
  ] as const)(
    'follows by $by: every change appears once, in its place',
    async ({ follow, interval }, { newsroom, visit }) => {
      await setFollowing(newsroom, follow, interval);
      const [first, second, third] = [
        await newsroom.publish(),
        await newsroom.publish(),
        await newsroom.publish(),
      ];
      const { page } = await visit();
      await openLivePage(page, newsroom);

      await newsroom.revise(first, { headline: 'Revised' });
      await newsroom.correct(second, { headline: 'Second' }, 'The school is open.');
      await newsroom.withdraw(third, 'It was about another river.');
      await newsroom.publish({ headline: 'The bridge is closed' });

      await expect.poll(() => numbersOn(page)).toEqual([4, 3, 2, 1]);
      await expect.poll(() => textOf(page, 1)).toContain('Revised');
      await expect.poll(() => textOf(page, 2)).toContain('The school is open.');
      await expect.poll(() => textOf(page, 3)).toContain('It was about another river.');
      expect(await textOf(page, 4)).toContain('The bridge is closed');

      // Further down the page a bar announces the update, and nothing moves.
      await page.locator('#update-1').evaluate((article) => article.scrollIntoView({ block: 'start' }));
      const { y } = await page.locator('#update-1').boundingBox();
      await newsroom.publish({ headline: 'The bridge is open' });
      const bar = page.getByRole('button', { name: feed.held(1) });
      await bar.waitFor();
      expect(Math.abs((await page.locator('#update-1').boundingBox()).y - y)).toBeLessThanOrEqual(1);
      await bar.click();
      await expect.poll(() => numbersOn(page)).toEqual([5, 4, 3, 2, 1]);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('update-5');
    },
  );
});
