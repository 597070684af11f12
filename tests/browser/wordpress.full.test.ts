import { expect } from 'vitest';
import { errorMessages } from '../../src/lib/i18n/en/database-errors.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { test as base } from '../support/desk-page.ts';
import { call, type Newsroom } from '../support/newsroom.ts';

const test = base.extend('ownSite', true);

const LINK = 'https://paper.example/wp-admin/post.php?post=7&action=edit';

/** Connects a WordPress, as the edge function does. Its answers are those of the test. */
async function connect({ people }: Newsroom): Promise<void> {
  await call(people.owner.client, 'save_wordpress', {
    url: 'https://paper.example',
    username: 'desk',
    password: 'x'.repeat(60),
  });
}

test('an editor makes a WordPress draft, sees why it fails, and opens the draft afterwards', async ({
  newsroom,
  openDesk,
}) => {
  await connect(newsroom);
  await newsroom.publish({ headline: 'Water reaches the quay' });
  const { page, row, expectError } = await openDesk('editor', { viewport: PHONE });
  expectError(/409/);
  let isRefused = true;
  const requests: unknown[] = [];
  await page.route('**/functions/v1/wordpress', (route) => {
    requests.push(route.request().postDataJSON());
    const refusal = { code: 'bad_state', message: 'bad_state', reason: 'wordpress_password_refused' };
    return isRefused
      ? route.fulfill({ status: 409, json: refusal })
      : route.fulfill({ json: { link: LINK, isNew: true, missingPhotos: 2 } });
  });
  const update = row('Water reaches the quay');
  const make = update.getByRole('button', { name: words.wordpress.make });
  await make.click();
  await update.getByText(errorMessages.wordpress_password_refused).waitFor();
  isRefused = false;
  await make.click();
  const link = update.getByRole('link', { name: words.wordpress.open });
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe(LINK);
  await update.getByText(words.wordpress.made(2)).waitFor();
  expect(await make.count()).toBe(0);
  expect(requests).toHaveLength(2);
  await expectNoAxeFindings(page);
});

test('reporters do not see the button', async ({ newsroom, openDesk }) => {
  await connect(newsroom);
  await newsroom.publish({ headline: 'Water reaches the quay' });
  const { page, row } = await openDesk('reporter', { viewport: PHONE });
  await row('Water reaches the quay').waitFor();
  expect(await page.getByRole('button', { name: words.wordpress.make }).count()).toBe(0);
});
