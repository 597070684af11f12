import { expect } from 'vitest';
import { test as base } from '../support/browser.ts';
import { WIDE_SCREEN } from '../support/chromium.ts';
import { freePort } from '../support/processes.ts';
import { signIn } from '../support/sign-in.ts';

const test = base
  .extend('program', 'dev')
  .extend('environment', async () => ({ PORT: String(await freePort()) }));

test('serves styles and a working desk in development', async ({ visit, people, newsroom }) => {
  const { page } = await visit();
  await page.setViewportSize(WIDE_SCREEN);
  await signIn(page, people.reporter);
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
  const font = await page.locator('h1').evaluate((heading) => getComputedStyle(heading).fontFamily);
  expect(font).toContain('serif');
  expect(font).toContain('Charter');
});
