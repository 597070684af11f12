import { expect } from 'vitest';
import { composer } from '../../src/lib/i18n/en/composer.ts';
import { tips } from '../../src/lib/i18n/en/tips.ts';
import { expectNoAxeFindings } from '../support/engines/page.ts';
import { test } from '../support/engines/test.ts';
import { signIn } from '../support/sign-in.ts';
import { waitUntilFollowed } from './following.ts';

/** A narrow phone and a wide screen. */
const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
];

test('live page, tip form and desk fit a narrow and a wide window, without findings of axe', async ({
  newsroom,
  visit,
}) => {
  const { coverage, people } = newsroom;
  await newsroom.publish({ headline: 'The gates are closed', key_event: true });
  const update = await newsroom.publish();
  await newsroom.correct(update, { headline: 'The school is open' }, 'We said that it is closed.');
  await newsroom.publish({ body: [{ type: 'quote', text: 'It rises still.', attribution: 'A ferryman' }] });
  const { page } = await visit();
  await signIn(page, people.reporter);
  const screens = [
    { path: `/live/${coverage.slug}`, ready: () => waitUntilFollowed(page) },
    { path: '/tips', ready: () => page.getByText(tips.kept).waitFor() },
    {
      path: `/desk/${coverage.slug}`,
      ready: () => page.getByRole('region', { name: composer.title }).waitFor(),
    },
  ];
  for (const { path, ready } of screens) {
    await page.goto(path);
    await ready();
    for (const size of SIZES) {
      await page.setViewportSize(size);
      const [content, window] = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return [scrollWidth, clientWidth];
      });
      expect(content, `${path} at ${size.width} px`).toBe(window);
      await expectNoAxeFindings(page);
    }
  }
});
