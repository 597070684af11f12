import type { Locator, Page } from 'playwright-core';
import { FLOOD } from '../../../src/lib/cli/demo/flood.ts';
import { discard, type ScreenGroup, settle, writeUpdate } from './screen.ts';

/**
 * Returns a function that fills in the first form of the page that has the fields, and submits it with its last button.
 * The browser's own checks are off, as for programs.
 */
const submit = (values: Record<string, string>) => async (page: Page) => {
  const [first = ''] = Object.keys(values);
  const form = page.locator(`form:has([name="${first}"])`).last();
  await form.evaluate((element) => {
    (element as HTMLFormElement).noValidate = true;
  });
  for (const [name, value] of Object.entries(values)) await form.locator(`[name="${name}"]`).fill(value);
  await form.locator('button[type="submit"], button:not([type])').first().click();
  await page.locator('.refused:visible, .problem:visible').first().waitFor();
  await settle(page);
};

/** Takes the connection from the page only, not from the others of its context. */
async function disconnect(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', {
    offline: true,
    latency: 0,
    downloadThroughput: 0,
    uploadThroughput: 0,
  });
}

async function publishOffline(page: Page): Promise<void> {
  await disconnect(page);
  await writeUpdate(page);
  await page.locator('.composer button[value="publish"]').click();
  await page.locator('.outgoing li').first().waitFor({ state: 'attached' });
}

/** Answers as the backend does while the disk is full. */
async function publishOnFullDisk(page: Page): Promise<void> {
  await page.route('**/rest/v1/rpc/publish_update', (route) =>
    route.fulfill({ status: 503, headers: { 'retry-after': '600' }, json: { code: 'unavailable' } }),
  );
  await writeUpdate(page);
  await page.locator('.composer button[value="publish"]').click();
  await page.locator('.outgoing li').first().waitFor({ state: 'attached' });
}

async function refusePhoto(page: Page): Promise<void> {
  await writeUpdate(page);
  const buffer = Buffer.from('This is no photo.');
  await page
    .locator('.composer .add-photos input')
    .setInputFiles({ name: 'sandbags.jpg', mimeType: 'image/jpeg', buffer });
  const card = page.locator('.composer .photo-card').first();
  await card.locator('.refused-photo').waitFor();
  await card.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

async function submitEmail(field: Locator): Promise<void> {
  await field.fill('editor@demo.example');
  await field.press('Enter');
  await field.page().locator('[name=code]').waitFor();
}

async function readOffline(page: Page): Promise<void> {
  await disconnect(page);
  await page.waitForFunction(() => document.querySelector('.following')?.textContent?.trim() !== '');
}

async function tipOffline(page: Page): Promise<void> {
  await page.locator('textarea[name="body"]').fill('The bus shelter on Quay Street has lost its roof.');
  // The script that sends is loaded when a field has the focus.
  await page.waitForLoadState('networkidle');
  await disconnect(page);
  await page.locator('.tip button[type="submit"]').click();
  await page.locator('.tip .status:not(:empty)').first().waitFor();
}

const desk = `/desk/${FLOOD.slug}`;

/** Screens that say what went wrong. */
export const ERRORS: ScreenGroup = {
  title: 'Errors',
  screens: [
    { name: 'invalid date of a search', path: '/search?q=river&to=2026-02-30' },
    { name: 'tip, offline', path: '/tips', prepare: tipOffline },
    { name: 'empty tip', path: '/tips', prepare: submit({ body: '' }) },
    { name: 'live page, offline', path: `/live/${FLOOD.slug}`, prepare: readOffline },
    { name: 'sign up', path: '/sign-up', prepare: submit({ name: '', email: 'mara', password: 'short' }) },
    {
      name: 'wrong code',
      path: '/auth/code?for=sign-in',
      prepare: async (page) => {
        const email = page.locator('[name=email][type=email]');
        // The browser remembers that a mail was sent.
        if (await email.isVisible()) await submitEmail(email);
        await submit({ code: '000000' })(page);
      },
    },
    {
      name: 'e-mail of an account',
      path: '/account',
      as: 'reader',
      prepare: submit({ email: 'mara', current_password: 'x' }),
    },
    {
      name: 'deleting an account',
      path: '/account/delete',
      as: 'reader',
      prepare: submit({ current_password: 'wrong-password' }),
    },
    {
      name: 'new coverage',
      path: '/desk/new',
      as: 'editor',
      prepare: submit({ headline: '', slug: FLOOD.slug }),
    },
    {
      name: 'settings of a coverage',
      path: `${desk}/settings`,
      as: 'editor',
      prepare: submit({ canonical_url: 'http://courier.example/flood#live' }),
    },
    {
      name: 'invitation',
      path: '/desk/people/invite',
      as: 'owner',
      prepare: submit({ name: '', email: 'mara' }),
    },
    {
      name: 'site, WordPress',
      path: '/desk/site/wordpress',
      as: 'owner',
      prepare: submit({ url: 'http://courier', username: 'mara', password: 'x' }),
    },
    { name: 'site, Telegram', path: '/desk/site/filing', as: 'owner', prepare: submit({ token: '123' }) },
    { name: 'desk, offline', path: desk, as: 'moderator', prepare: disconnect },
    { name: 'publishing offline', path: desk, as: 'reporter', prepare: publishOffline },
    { name: 'publishing on a full disk', path: desk, as: 'reporter', prepare: publishOnFullDisk },
    { name: 'refused photo', path: desk, as: 'owner', prepare: refusePhoto, restore: discard },
  ],
};
