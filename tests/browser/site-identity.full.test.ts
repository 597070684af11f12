import { expect } from 'vitest';
import { siteIdentity as messages, newsroomSettings, site as words } from '../../src/lib/i18n/en/settings.ts';
import { test as base, expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { paragraph } from '../support/newsroom.ts';
import { signInWithoutForm } from '../support/sign-in.ts';

// The test changes settings of the whole site.
const test = base.extend('ownSite', true);

/** A drawing of a square and letters. */
const drawing = (colour: string) => ({
  name: 'logo.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 40"><rect width="40" height="40" fill="#0b5fa5"/><path fill="${colour}" d="M50 8h20v6H57v5h12v6H57v9h-7zm30 0h7v19h13v6H80zm30 0h20v6h-13v5h12v6h-12v3h13v6h-20z"/></svg>`,
  ),
});

const MENU = ['News', 'Sport', 'Culture', 'Opinion', 'Weather', 'Obituaries', 'Events'];
const NEWEST = 'The gate at the quay is closed.';

test('an owner gives the pages a logo, a menu and fonts on a phone without scripts', async ({
  people,
  newsroom,
  visit,
}) => {
  await newsroom.publish({ body: [paragraph(NEWEST)] });
  const { page } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  await signInWithoutForm(page, people.owner);
  await page.goto('/desk/site');
  await page.getByRole('link', { name: newsroomSettings.sections.masthead }).click();
  await page.getByLabel(messages.imageFields.logo, { exact: true }).setInputFiles(drawing('#16130f'));
  await page.getByLabel(messages.imageFields.logo_dark).setInputFiles(drawing('#ece7dd'));
  for (const [n, label] of MENU.entries()) {
    await page.getByLabel(messages.menuLabel(n + 1)).fill(label);
    await page.getByLabel(messages.menuUrl(n + 1)).fill(`https://courier.example/${label.toLowerCase()}`);
  }
  await page.getByLabel(messages.linkFields.newspaper_link.label).fill('Ostley Courier');
  await page.getByLabel(messages.linkFields.newspaper_link.url).fill('https://courier.example/');
  await page.getByLabel(messages.linkFields.sponsor.label, { exact: true }).fill('Harbour Bakery');
  await page.getByLabel(messages.headlineFont).selectOption('sans');
  await page.getByRole('button', { name: newsroomSettings.preview }).click();
  await page.getByRole('heading', { name: messages.previewTitle }).waitFor();
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBe(0);
  await page.getByRole('button', { name: words.save }).click();
  await page.getByText(messages.saved).waitFor();

  const { page: reader } = await visit({ viewport: PHONE });
  await expect
    .poll(async () => {
      await reader.goto(`/live/${newsroom.coverage.slug}`);
      return reader
        .getByRole('navigation', { name: /^Menu of/ })
        .getByRole('link')
        .allTextContents();
    })
    .toEqual(['Ostley Courier', ...MENU]);
  const [logo] = await reader.locator('.nameplate img').all();
  expect(
    await logo?.evaluate((image: HTMLImageElement) => [image.naturalWidth > 0, image.clientHeight]),
  ).toEqual([true, 32]);
  expect(await reader.locator('h1').evaluate((heading) => getComputedStyle(heading).fontFamily)).toContain(
    'system-ui',
  );
  // Only the row scrolls sideways, and the newest update stays on the first screen.
  expect(await reader.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  expect(
    await reader.locator('#newest a').evaluate((link) => link.getBoundingClientRect().bottom),
  ).toBeLessThan(PHONE.height);
  await reader.getByText(messages.sponsoredBy).waitFor();
  await expectNoAxeFindings(reader);
  await expectNoAxeFindingsOfForm();

  async function expectNoAxeFindingsOfForm() {
    const { page: owner } = await visit({ viewport: PHONE });
    await signInWithoutForm(owner, people.owner);
    await owner.goto('/desk/site/masthead');
    await owner.getByRole('button', { name: newsroomSettings.preview }).click();
    await owner.getByRole('heading', { name: messages.previewTitle }).waitFor();
    await expectNoAxeFindings(owner);
  }
});

test('the two fields of each link stand on one line where a label has two lines', async ({
  people,
  visit,
}) => {
  const { page } = await visit({ viewport: { width: 1440, height: 900 } });
  await signInWithoutForm(page, people.owner);
  await page.goto('/desk/site/masthead');
  const offsets = await page.locator('.pair').evaluateAll((pairs) =>
    pairs.map((pair) => {
      const tops = [...pair.querySelectorAll('input, select')].map(
        (field) => field.getBoundingClientRect().top,
      );
      return Math.abs((tops[0] ?? 0) - (tops[1] ?? 0));
    }),
  );
  expect(offsets.length).toBeGreaterThan(10);
  expect(Math.max(...offsets)).toBeLessThan(1);
});
