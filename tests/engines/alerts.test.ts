import { expect } from 'vitest';
import { follow as words } from '../../src/lib/i18n/en/follow.ts';
import { announceAlertChannels } from '../support/alerts.ts';
import { test as base } from '../support/engines/test.ts';
import { createAccount } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import { withMails } from '../support/test.ts';

const test = base
  .extend('environment', withMails)
  .extend('means', { scope: 'file', auto: true }, ({ site }) => announceAlertChannels(site));

/** WebKitGTK has no push, which the page says instead of offering it. */
const ON_THIS_DEVICE = { firefox: words.device.ask, webkit: words.device.unable };

test('alerts on the device are offered where the engine has push, refused in words where not; mail works', async ({
  site,
  newsroom,
  visit,
  engineName,
}) => {
  const { page } = await visit();
  await signIn(page, await createAccount(site));
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await page.getByRole('link', { name: words.link }).click();

  await page.getByText(ON_THIS_DEVICE[engineName]).waitFor();
  const onDevice = page.getByRole('checkbox', { name: words.how.push });
  expect(await onDevice.isDisabled()).toBe(engineName === 'webkit');

  await page.getByLabel(words.what.key).check();
  await page.getByRole('checkbox', { name: words.how.mail }).check();
  await page.getByRole('button', { name: words.save, exact: true }).click();
  await page
    .locator('#in-force')
    .getByText(words.now.some('key', true, false))
    .waitFor();
  await page.getByRole('button', { name: words.stop, exact: true }).click();
  await page.locator('#in-force').getByText(words.now.none).waitFor();
});
