import { expect } from 'vitest';
import { composer as composing } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { readStoredUpdates, textOf } from '../support/desk-page.ts';
import { test } from '../support/engines/test.ts';
import { signIn } from '../support/sign-in.ts';

test('a reporter signs in, composes, publishes and corrects; a reader sees each once', async ({
  site,
  newsroom,
  visit,
}) => {
  const { slug } = newsroom.coverage;
  const { page: reader } = await visit();
  await reader.goto(`/live/${slug}`);
  const { page } = await visit({ viewport: { width: 1440, height: 900 } });
  await signIn(page, newsroom.people.reporter);
  await page.goto(`/desk/${slug}`);
  const composer = page.getByRole('region', { name: composing.title });
  const body = composer.getByLabel(composing.body);

  // A draft survives a reload.
  await body.fill('The lower gate');
  await page.locator('.composer').getByText(words.saving.save).first().waitFor();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom)).map(textOf))
    .toEqual(['The lower gate']);
  await page.reload();
  await expect.poll(() => body.inputValue()).toBe('The lower gate');

  await body.fill('The lower gate is **closed**.');
  await composer.getByRole('button', { name: words.saving.publish, exact: true }).click();
  await composer.getByText(words.status.sent.published(1)).waitFor();
  expect(await body.inputValue()).toBe('');
  await expect.poll(() => reader.locator('#update-1').innerText()).toContain('The lower gate is closed.');

  const row = page.locator('.desk-row');
  await row.getByRole('button', { name: new RegExp(`^${words.actions.edit}`) }).click();
  await row.getByLabel(composing.body).fill('The upper gate is closed.');
  await row.getByRole('radio', { name: words.change.correction }).check();
  await row.getByLabel(words.change.note).fill('We named the wrong gate.');
  await row.getByRole('button', { name: words.saving.change }).click();
  await row.getByRole('button', { name: new RegExp(`^${words.actions.edit}`) }).waitFor();
  await expect.poll(() => reader.locator('#update-1').innerText()).toContain('We named the wrong gate.');
  expect(await reader.locator('#update-1').innerText()).toContain('The upper gate is closed.');
  expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual(['The upper gate is closed.']);
});
