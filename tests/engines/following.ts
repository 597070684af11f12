import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import type { EnginePage } from '../support/engines/page.ts';
import { until } from '../support/until.ts';

/**
 * Waits until a live page is followed. A busy machine responds late, which a page takes for a poor connection: then it
 * offers to follow, and the reader does.
 */
export const waitUntilFollowed = (page: EnginePage): Promise<void> => {
  const offer = page.getByRole('button', { name: /^Follow live \(\d+ KB\)$/ });
  return until('the live page is followed', async () => {
    if (await page.getByRole('button', { name: feed.pause }).isVisible()) return true;
    if (await offer.isVisible()) await offer.click();
    return false;
  });
};
