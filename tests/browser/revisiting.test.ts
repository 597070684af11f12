import { expect } from 'vitest';
import { test } from '../support/browser.ts';

test('a page that is visited again, and told that it has not changed, looks and works as before', async ({
  newsroom,
  visit,
}) => {
  await newsroom.publish();
  const { page } = await visit();
  const path = `/live/${newsroom.coverage.slug}`;
  for (const visited of ['first', 'again']) {
    await page.goto(path);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const size = await page.evaluate(() => getComputedStyle(document.body).fontSize);
    expect(size, visited).toBe('17px');
    await page.goto('/about');
  }
});
