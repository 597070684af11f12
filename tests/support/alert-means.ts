import { expect, vi } from 'vitest';
import { run } from './newsroom.ts';
import type { TestSite } from './site.ts';

/** Waits until a site that sends mails knows by what it can tell people: its first ring says so. */
export const alertMeans = ({ service }: Pick<TestSite, 'service'>) =>
  vi.waitFor(
    async () => {
      const means = await run(service, 'alert_means', {});
      expect(means).toEqual({ push_key: expect.any(String), mail: true });
      return means;
    },
    { timeout: 30_000, interval: 50 },
  );

/** What a browser says of its push subscription, with keys of the right form. */
export const subscriptionAt = (endpoint: string) => ({
  endpoint,
  expirationTime: null,
  keys: { p256dh: `BA${'a'.repeat(85)}`, auth: `${'b'.repeat(21)}A` },
});
