import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { test } from '../support/browser.ts';

/** A transcript of 1,383 updates; it lives beside the project, not in it. */
const APOLLO = resolve('../shared/data/apollo-11.feed.json');

test('without JavaScript the live page says everything, and offers to look for more', async ({
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
    'Key events',
    'Three',
  ]) {
    expect(text).toContain(words);
  }
  expect(await page.getByRole('button').count()).toBe(0);
  await newsroom.publish({ headline: 'Four' });
  await page.getByRole('link', { name: 'Check for updates' }).click();
  expect(await page.locator('#updates > article h3').first().innerText()).toBe('Four');
});

test.skipIf(!existsSync(APOLLO))(
  'older links lead through all 1,383 updates of a transcript, each met once',
  { timeout: 120_000 },
  async ({ site, visit }) => {
    const run = promisify(execFile);
    await run(
      process.execPath,
      ['src/lib/commands/import.ts', APOLLO, '--slug', 'apollo-11', '--state', 'ended'],
      {
        env: { ...process.env, STOPPRESS_DATA: site.data },
      },
    );
    const { page } = await visit({ javaScriptEnabled: false });
    await page.goto('/live/apollo-11');
    const met: number[] = [];
    for (;;) {
      const ids = await page.locator('#updates article').evaluateAll((all) => all.map(({ id }) => id));
      met.push(...ids.map((id) => Number(id.replace('update-', ''))));
      const older = page.getByRole('link', { name: 'Older', exact: true });
      if ((await older.count()) === 0) break;
      await older.click();
    }
    expect(met).toEqual(Array.from({ length: 1383 }, (_, n) => 1383 - n));
  },
);
