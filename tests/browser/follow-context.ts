import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { announceAlertChannels, subscription } from '../support/alerts.ts';
import { test as base } from '../support/browser.ts';
import { withMails } from '../support/test.ts';

/** A newsroom that offers alerts by mail and by push. */
export const test = base
  .extend('ownSite', true)
  .extend('environment', withMails)
  .extend('alertChannels', { scope: 'file', auto: true }, ({ site }) => announceAlertChannels(site));

/** A test that needs a browser with notifications. */
export const deviceTest = test.skipIf(!inject('chromium').notifications);

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/**
 * Replaces the push service, which Chromium's test windows cannot reach, by one that makes valid subscriptions.
 * The worker, the permission and the messages are real.
 */
export async function fakePushService(page: Page): Promise<void> {
  await page.addInitScript((keys) => {
    const subscriptionOf = () => {
      const endpoint = localStorage.getItem('push-service');
      if (!endpoint) return null;
      const toJSON = () => ({ ...keys, endpoint });
      const unsubscribe = async () => {
        localStorage.removeItem('push-service');
        return true;
      };
      return { endpoint, toJSON, unsubscribe };
    };
    Object.assign(PushManager.prototype, {
      getSubscription: async () => subscriptionOf(),
      subscribe: async (options: PushSubscriptionOptionsInit) => {
        if (!options.userVisibleOnly || Notification.permission !== 'granted') throw new Error('not allowed');
        localStorage.setItem('push-service', `https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}`);
        return subscriptionOf();
      },
    });
  }, subscription(''));
}
