import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tips as words } from '../../src/lib/i18n/en/tips.ts';
import { test as base } from '../support/engines/test.ts';
import { callServer } from '../support/newsroom.ts';
import { makePhoto } from '../support/photos.ts';

const test = base.extend('photo', async ({ task: _ }, { onCleanup }) => {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-photo-'));
  onCleanup(() => rm(folder, { recursive: true }));
  const path = join(folder, 'gate.jpg');
  await writeFile(path, await makePhoto(1800, 1200));
  return path;
});

test('a reader sends a tip with a photo; the desk has both once, and the receipt says so', async ({
  people,
  newsroom,
  visit,
  photo,
}) => {
  const { page } = await visit();
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await page.getByText(words.link, { exact: true }).first().click();
  await page.getByLabel(words.body).fill('Water stands over the lower gate.');
  await page.getByLabel(words.name, { exact: true }).fill('Ada');
  await page.getByLabel(words.photo).setInputFiles(photo);
  // The thumbnail takes its place, which moves the button once.
  await page.getByRole('img', { name: words.photoChosen }).waitFor();
  await page.getByRole('button', { name: words.send }).click();
  await page.getByText(words.photoReceived).waitFor();

  const tips = await callServer(people.moderator.client, 'tip_queue', {
    filters: { view: 'all', coverage: newsroom.coverage.id },
  });
  expect(tips).toMatchObject([
    { body: 'Water stands over the lower gate.', name: 'Ada', photo: { state: 'ready' } },
  ]);
  await page.getByRole('link', { name: words.receiptLink }).click();
  await page.getByText(words.receipt.states.new).waitFor();
});
