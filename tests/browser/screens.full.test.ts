import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { feed as feedMessages } from '../../src/lib/i18n/en/live-feed.ts';
import { people as peopleMessages } from '../../src/lib/i18n/en/people.ts';
import { test as base, expectNoAxeFindings, expectToFit, PHONE } from '../support/browser.ts';
import { createLiveCoverage, type Role } from '../support/newsroom.ts';
import { seedNewsroom, seedTips } from '../support/seeded-newsroom.ts';
import { signInWithoutForm } from '../support/sign-in.ts';
import { SCREENS } from './screens.ts';

const test = base
  .extend('seeded', { scope: 'file' }, async ({ people, site }) => {
    const newsroom = await seedNewsroom(await createLiveCoverage(people));
    await seedTips(site, newsroom);
    return newsroom;
  })
  // Each role signs in once. All screens share its storage state.
  .extend('storageStateOf', { scope: 'file' }, ({ people, site, chromium }) => {
    const states = new Map<Role, ReturnType<BrowserContext['storageState']>>();
    const createState = async (role: Role) => {
      const context = await chromium.newContext({ baseURL: site.url });
      await signInWithoutForm(await context.newPage(), people[role]);
      const state = await context.storageState();
      await context.close();
      return state;
    };
    return (role: Role) => {
      const state = states.get(role) ?? createState(role);
      states.set(role, state);
      return state;
    };
  });

/** A phone in light mode and a wide screen in dark mode. They differ by styles only, so a page is loaded once. */
const DEVICES = [
  ['a phone', PHONE, 'light'],
  ['a wide screen in dark mode', { width: 1440, height: 900 }, 'dark'],
] as const;

/** Opens the folded parts of a page, except those that load a script. */
const openParts = (page: Page) =>
  page.locator('main details:not([open], :has(astro-island))').evaluateAll((parts) => {
    for (const part of parts) (part as HTMLDetailsElement).open = true;
  });

test.for(SCREENS)(
  'has no accessibility problems and no horizontal scrolling: $name',
  async (screen, { seeded, storageStateOf, visit }) => {
    const { page, expectError } = await visit(screen.as && { storageState: await storageStateOf(screen.as) });
    if (screen.status) expectError(new RegExp(`${screen.status}`));
    const answer = await page.goto(screen.path(seeded));
    expect(answer?.status()).toBe(screen.status ?? 200);
    // A folded island hydrates when it is opened.
    await page.waitForFunction(() => !document.querySelector('astro-island[ssr]:not(details *)'));
    for (const [device, size, colorScheme] of DEVICES) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await expectNoAxeFindings(page);
      await expectToFit(page, device);
    }
    await page.setViewportSize(PHONE);
    await openParts(page);
    await expectToFit(page, 'a phone, with open parts');
  },
);

test('has no accessibility problems on a followed page with its bar and notices', async ({
  newsroom,
  visit,
}) => {
  for (let n = 1; n <= 5; n++) await newsroom.publish();
  const { page } = await visit();
  await page.route(/\/changes\?/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/data-build="[^"]*"/, 'data-build="x"'),
    });
  });
  await page.clock.install();
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await page.getByRole('link', { name: feedMessages.reload.newer }).waitFor();
  await page.locator('#update-2').evaluate((article) => article.scrollIntoView());
  await newsroom.publish();
  await page.clock.fastForward(11_000);
  await page.getByRole('button', { name: '1 new update' }).waitFor();
  await expectNoAxeFindings(page);
});

test('has targets of at least 44 px for the name of the site and for pausing on a phone', async ({
  newsroom,
  visit,
}) => {
  await newsroom.publish();
  const { page } = await visit();
  const small = () =>
    page.locator('.nameplate a, .following button').evaluateAll((all) =>
      all.flatMap((one) => {
        const { height, width } = one.getBoundingClientRect();
        return height < 44 || width < 44 ? [`${one.textContent} ${width} × ${height}`] : [];
      }),
    );
  await page.goto('/');
  expect(await small()).toEqual([]);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await page.getByRole('button', { name: feedMessages.pause }).waitFor();
  expect(await small()).toEqual([]);
});

test('has the button to sign out on the line of the name beside it, on a wide screen and on a phone', async ({
  storageStateOf,
  visit,
}) => {
  const { page } = await visit({ storageState: await storageStateOf('editor') });
  await page.goto('/desk');
  for (const [, size] of DEVICES) {
    await page.setViewportSize(size);
    // The boxes of the texts, whose bottoms are equal where their lines are.
    const bottoms = await page.locator('.desk-head :is(.who a, button)').evaluateAll((all) =>
      all.map((one) => {
        const text = document.createRange();
        text.selectNodeContents(one);
        return text.getBoundingClientRect().bottom;
      }),
    );
    expect(bottoms).toHaveLength(2);
    expect(bottoms[0]).toBeCloseTo(bottoms[1] ?? 0, 1);
  }
});

test('does not show the deactivation of a person as the main action', async ({
  people,
  storageStateOf,
  visit,
}) => {
  const { page } = await visit({ storageState: await storageStateOf('owner') });
  await page.goto(`/desk/people/${people.contributor.id}`);
  const colourOf = (name: string) =>
    page
      .getByRole('button', { name, exact: true })
      .evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(await colourOf(peopleMessages.deactivate)).not.toBe(await colourOf(peopleMessages.saveRole));
});
