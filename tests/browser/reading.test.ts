import { expect } from 'vitest';
import { reader as readerMessages } from '../../src/lib/i18n/en/reader.ts';
import { test } from '../support/browser.ts';

test('shows the whole live page without script, with a link to check for updates', async ({
  newsroom,
  visit,
}) => {
  const [first, second] = [
    await newsroom.publish({ headline: 'One' }),
    await newsroom.publish({ headline: 'Two' }),
  ];
  await newsroom.publish({ headline: 'Three', key_event: true });
  await newsroom.correct(first, { headline: 'One' }, 'It was one, not two.');
  await newsroom.withdraw(second, 'It was not so.');
  const { page } = await visit({ javaScriptEnabled: false });
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const text = await page.locator('main').innerText();
  for (const words of [
    'The river rises',
    'Live',
    'One',
    'It was one, not two.',
    'It was not so.',
    readerMessages.keyEvents,
    'Three',
  ]) {
    expect(text).toContain(words);
  }
  expect(await page.getByRole('button').count()).toBe(0);
  await newsroom.publish({ headline: 'Four' });
  // A page may be half a second older than the last publication.
  const checkAgain = async () => {
    await page.getByRole('link', { name: readerMessages.status.check }).click();
    return page.locator('#updates > article h3').first().innerText();
  };
  await expect.poll(checkAgain).toBe('Four');
});
