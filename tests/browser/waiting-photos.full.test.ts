import { expect } from 'vitest';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { deskPhotos } from '../../src/lib/i18n/en/photos.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { goToDesk, readStoredUpdates, test } from '../support/desk-page.ts';
import { makePhoto } from '../support/photos.ts';

test('publishes text at once, and adds its photo after a reload when the alt text is written', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box } = await openDesk('reporter');
  const publish = composer.getByRole('button', { name: words.saving.publish });
  const photo = { name: 'quay.jpg', mimeType: 'image/jpeg', buffer: await makePhoto() };
  await composer.getByLabel(deskPhotos.add).setInputFiles(photo);
  // Without a text there is nothing to publish.
  await publish.click();
  await composer.getByText(deskPhotos.noAlt(1, 1)).first().waitFor();

  await box.fill('The quay is closed');
  await composer.getByText(deskPhotos.waiting.before(1)).waitFor();
  await publish.click();
  await composer.getByText(words.status.sent.published(1)).waitFor();
  const blocks = async () =>
    (await readStoredUpdates(site, newsroom)).map(({ body }) =>
      body.map(({ type }: { type: string }) => type),
    );
  expect(await blocks()).toEqual([['paragraph']]);
  // A slow writer's draft is saved before it is published, which is a version too.
  const [published] = await readStoredUpdates(site, newsroom);

  await goToDesk(page, newsroom);
  const waiting = composer.locator('.waiting-photos');
  await waiting.getByText(deskPhotos.waiting.count(1)).click();
  await waiting.getByRole('button', { name: deskPhotos.waiting.add }).click();
  await waiting.getByText(deskPhotos.noAlt(1, 1)).waitFor();
  await waiting.getByLabel(deskPhotos.alt).fill('The closed quay');
  await expectNoAxeFindings(page);
  await waiting.getByRole('button', { name: deskPhotos.waiting.add }).click();
  await waiting.waitFor({ state: 'detached' });
  expect(await blocks()).toEqual([['paragraph', 'photo']]);
  expect((await readStoredUpdates(site, newsroom))[0]).toMatchObject({
    state: 'published',
    version: published.version + 1,
  });
});
