import { expect } from 'vitest';
import { feed as english } from '../../src/lib/i18n/en/live-feed.ts';
import { feed as spanish } from '../../src/lib/i18n/es/live-feed.ts';
import { test as base } from '../support/browser.ts';
import { WIDE_SCREEN } from '../support/chromium.ts';
import { call } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';

// Other tests expect an English site.
const test = base.extend('ownSite', true);

test('follows a coverage in its language, and loads Spanish for readers of Spanish only', async ({
  newsroom,
  site,
  visit,
}) => {
  const { coverage, people } = newsroom;
  await newsroom.publish();
  const { page } = await visit();
  const scripts: string[] = [];
  page.on('request', (request) => {
    const [, name] = /\/_astro\/([\w-]+)\.[\w-]+\.js$/.exec(request.url()) ?? [];
    if (name) scripts.push(name);
  });
  await page.goto(`/live/${coverage.slug}`);
  await page.getByRole('button', { name: english.pause }).waitFor();
  expect(scripts.filter((name) => /islands/.test(name))).toEqual([]);

  const { data } = await site.service.from('coverages').select('version').eq('id', coverage.id).single();
  await call(people.editor.client, 'save_coverage', {
    coverage_id: coverage.id,
    version: data?.version,
    content: { language: 'es' },
  });
  await expect
    .poll(async () => (await page.request.get(`/live/${coverage.slug}`)).text())
    .toContain('lang="es"');
  await page.goto(`/live/${coverage.slug}`);
  await page.getByRole('button', { name: spanish.pause }).waitFor();
  expect(await page.locator('#status').innerText()).toContain(spanish.updated('').trim());
  expect(scripts.filter((name) => /islands/.test(name))).toEqual(['reader-islands']);
});

test('shows the desk of a Spanish site in Spanish', async ({ newsroom, visit }) => {
  const { coverage, people } = newsroom;
  const { page } = await visit({ viewport: WIDE_SCREEN });
  await signIn(page, people.editor);
  await call(people.owner.client, 'save_site', { content: { language: 'es' } });
  await expect
    .poll(async () => (await page.request.get(`/desk/${coverage.slug}`)).text(), { timeout: 20_000 })
    .toContain('<html lang="es"');
  await page.goto(`/desk/${coverage.slug}`);
  await page.getByRole('button', { name: 'Publicar' }).first().waitFor();
  // The composer is enabled by its script.
  await page.locator('fieldset:not([disabled]) textarea[name="body"]').waitFor();
  expect(await page.getByRole('button', { name: 'Publish', exact: true }).count()).toBe(0);
});
