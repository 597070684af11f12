import { expect } from 'vitest';
import { test } from '../support/browser.ts';
import { startOtherSite } from '../support/other-site.ts';

test('lets a script of another site follow a part, also when nothing has changed', async ({
  site,
  newsroom,
  visit,
}) => {
  await newsroom.publish({ headline: 'The first' });
  const { page } = await visit();
  await page.goto(await startOtherSite('<main id="live"></main>'));
  const address = `${site.url}/live/${newsroom.coverage.slug}/part?updates=3`;
  const show = () =>
    page.evaluate(async (url) => {
      const answer = await fetch(url);
      const place = document.getElementById('live') as HTMLElement;
      place.innerHTML = await answer.text();
      return {
        seq: Number(answer.headers.get('stoppress-seq')),
        status: answer.headers.get('stoppress-status'),
      };
    }, address);
  await expect.poll(async () => (await show()).status).toBe('live');
  const { seq } = await show();
  // The browser asks with the ETag of its copy. The 304 has no header that lets scripts read it.
  const asking = page.waitForRequest((request) => request.url() === address);
  expect(await show()).toEqual({ seq, status: 'live' });
  const asked = await asking;
  expect((await asked.allHeaders())['if-none-match']).toMatch(/^W\//);
  expect((await asked.sizes()).responseBodySize).toBe(0);
  const { seq: next } = await newsroom.publish({ headline: 'The second' });
  await expect.poll(async () => (await show()).seq).toBe(next);
  expect(await page.locator('#live h3').allInnerTexts()).toEqual(['The second', 'The first']);
  const accent = await page.locator('.stoppress-live').evaluate((element) => getComputedStyle(element).color);
  expect(accent).toBe('rgb(179, 22, 27)');
});
