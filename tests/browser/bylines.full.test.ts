import { expect } from 'vitest';
import { test } from '../support/browser.ts';
import { paragraph } from '../support/newsroom.ts';

test('no line of a byline begins with the dot between its parts', async ({ people, newsroom, visit }) => {
  const bylines = [people.reporter.id, people.editor.id];
  await newsroom.publish({
    body: [paragraph('The gate is open.')],
    bylines,
    dateline: 'Harrow Bridge',
    attribution: 'The county',
  });
  const { page } = await visit({ viewport: { width: 420, height: 740 } });
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const parts = page.locator('#updates .by > :not(:last-child)');
  await parts.nth(2).waitFor();
  for (let width = 420; width >= 260; width -= 3) {
    await page.setViewportSize({ width, height: 740 });
    // The dot is the last rectangle of a part.
    const starts = await parts.evaluateAll(
      (all) =>
        all.filter((part) => {
          const line = part.parentElement?.getBoundingClientRect().x;
          return [...part.getClientRects()].at(-1)?.x === line;
        }).length,
    );
    expect(starts, `${width} pixels`).toBe(0);
  }
});
