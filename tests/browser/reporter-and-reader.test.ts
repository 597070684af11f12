import { expect } from 'vitest';
import { test } from '../support/browser.ts';
import { openDesk } from '../support/desk-page.ts';
import { openLivePage } from '../support/live-page.ts';

/** Number of the update that the reader reads, below all changes. */
const READ = 3;

test('shows each change by a reporter on the open page without moving the text that is read', async ({
  newsroom,
  visit,
}) => {
  for (let n = 1; n <= 8; n++) await newsroom.publish();
  const reporter = await openDesk((await visit()).page, newsroom.people.reporter, newsroom.coverage.slug);
  const reader = await openLivePage((await visit()).page, newsroom.coverage.slug);
  await reader.scrollTo(READ);
  const place = await reader.positionOf(READ);
  /** Waits until an update shows the text, and expects the reading position to be unchanged. */
  const expectChange = async (number: number, words: string) => {
    await expect.poll(() => reader.text(number)).toContain(words);
    const now = await reader.positionOf(READ);
    expect(Math.abs(now.y - place.y)).toBeLessThanOrEqual(1);
    expect(now.x).toBe(place.x);
  };

  await reporter.revise(
    7,
    'The water is at the second step.\n\nIt was at the first an hour ago.\n\nIt rises still.',
  );
  await expectChange(7, 'The water is at the second step.');

  await reporter.correct(6, 'The school is open.', 'We said that the school is closed. It is open.');
  await expectChange(6, 'We said that the school is closed.');

  await reporter.withdraw(5, 'It was about another river.');
  await expectChange(5, 'It was about another river.');
  expect(await reader.text(5)).not.toContain('Report 5');

  await reporter.publish('The bridge is **closed**.');
  const bar = reader.page.getByRole('button', { name: '1 new update' });
  await bar.waitFor();
  expect(Math.abs((await reader.positionOf(READ)).y - place.y)).toBeLessThanOrEqual(1);
  await bar.click();
  expect(await reader.text(9)).toContain('The bridge is closed.');
  expect(await reader.numbers()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);

  const plain = (await visit({ javaScriptEnabled: false })).page;
  await plain.goto(`/live/${newsroom.coverage.slug}`);
  const text = await plain.locator('#updates').innerText();
  expect(text).toContain('The bridge is closed.');
  expect(text).toContain('We said that the school is closed.');
});
