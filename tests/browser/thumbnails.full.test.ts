import { expect } from 'vitest';
import { PHONE, test } from '../support/browser.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { call } from '../support/newsroom.ts';
import { ALT, addPhoto } from '../support/photos.ts';

test('lists of coverages keep the place of a photo where data is saved, and show it elsewhere without moving', async ({
  site,
  people,
  newsroom,
  visit,
}) => {
  const { block } = await addPhoto(site, newsroom);
  await newsroom.publish({ headline: 'Over the wall', body: [block], key_event: true });
  // The newest key event has no photo.
  await newsroom.publish({ headline: 'The wall holds', key_event: true });
  const topic = `topic-${newsroom.coverage.slug}`;
  await call(people.editor.client, 'save_topic', { slug: topic, name: 'Floods' });
  const coverage_id = newsroom.coverage.id;
  await call(people.editor.client, 'save_coverage', {
    coverage_id,
    version: 1,
    content: { topics: [topic] },
  });
  const [year, month] = new Date().toISOString().split('-');

  for (const path of [`/topics/${topic}`, `/archive/${year}/${month}`]) {
    const saving = await visit({ viewport: PHONE });
    const requested: string[] = [];
    saving.page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await saving.page.addInitScript(() =>
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
    );
    await saving.page.goto(path, { waitUntil: 'networkidle' });
    const item = { has: saving.page.locator(`a[href="/live/${newsroom.coverage.slug}"]`) };
    const placeholder = saving.page.getByRole('listitem').filter(item).locator('.thumbnail > svg');
    const place = await placeholder.boundingBox();
    expect(place).toMatchObject({ width: 96, height: 64 });
    expect(requested.filter((one) => one.startsWith('/photos/'))).toEqual([]);

    const { page } = await visit({ viewport: PHONE });
    const shifts = await watchLayoutShifts(page);
    await page.goto(path);
    const image = page
      .getByRole('listitem')
      .filter({ has: page.locator(`a[href="/live/${newsroom.coverage.slug}"]`) })
      .getByRole('img', { name: ALT });
    await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(480);
    expect(await image.boundingBox()).toEqual(place);
    expect(await shifts()).toEqual([]);

    const plain = await visit({ viewport: PHONE, javaScriptEnabled: false });
    await plain.page.goto(path);
    await plain.page.getByRole('img', { name: ALT }).first().waitFor();
  }
});
