import { expect } from 'vitest';
import { run } from './newsroom.ts';
import type { TestSite } from './site.ts';

/** Has a site that sends mails say by what it can tell people, as its first ring does. */
export async function alertMeans({ service }: Pick<TestSite, 'service'>) {
  const { error } = await service.functions.invoke('deliver-alerts', { body: {} });
  expect(error).toBeNull();
  const means = await run(service, 'alert_means', {});
  expect(means).toEqual({ push_key: expect.any(String), mail: true });
  return means;
}

/** What a browser says of its push subscription, with keys of the right form. */
export const subscriptionAt = (endpoint: string) => ({
  endpoint,
  expirationTime: null,
  keys: { p256dh: `BA${'a'.repeat(85)}`, auth: `${'b'.repeat(21)}A` },
});
