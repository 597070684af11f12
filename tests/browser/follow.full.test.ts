import { randomUUID } from 'node:crypto';
import type { Page, Worker } from 'playwright-core';
import { expect } from 'vitest';
import { account, accounts } from '../../src/lib/i18n/en/accounts.ts';
import { follow as words } from '../../src/lib/i18n/en/follow.ts';
import { confirmationPath, subscription } from '../support/alerts.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { call, createAccount } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import { deviceTest, fakePushService, press, test } from './follow-context.ts';

const currentChoice = (page: Page) => page.locator('#in-force');
const onDevice = (page: Page) => page.getByRole('checkbox', { name: words.how.push });
const expectDeviceStatus = (page: Page, sentence: string) =>
  page.locator('#push-says', { hasText: sentence }).waitFor();

/** Ids of the signed-in person's devices, from the page. */
const devicesOf = async (page: Page) =>
  ((await page.locator('form.follow').getAttribute('data-devices')) ?? '').split(' ').filter(Boolean);

function workerOf(page: Page): Worker {
  const worker = page.context().serviceWorkers()[0];
  if (!worker) throw new Error('The page registers a service worker.');
  return worker;
}

/** Opens a page with its service worker. `deliver` sends a push message to it; `shown` lists the notifications. */
async function openForMessages(page: Page, path: string) {
  const cdp = await page.context().newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [first] = registrations;
    if (first) registered.resolve(first.registrationId);
  });
  await cdp.send('ServiceWorker.enable');
  await page.goto(path);
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/sw.js');
    await navigator.serviceWorker.ready;
  });
  const registrationId = await registered.promise;
  const { origin } = new URL(page.url());
  return {
    deliver: (message: unknown) =>
      cdp.send('ServiceWorker.deliverPushMessage', {
        origin,
        registrationId,
        data: typeof message === 'string' ? message : JSON.stringify(message),
      }),
    shown: () =>
      page.evaluate(async () => {
        const all = await (await navigator.serviceWorker.ready).getNotifications();
        return all.map((one) => {
          const { title, body, tag, lang, dir, silent, requireInteraction, data } = one;
          const { renotify, timestamp } = one as Notification & { renotify: boolean; timestamp: number };
          return { title, body, tag, lang, dir, silent, requireInteraction, renotify, timestamp, data };
        });
      }),
  };
}

test('follows by mail without a script and without an account', async ({ site, newsroom, visit, mails }) => {
  const { page } = await visit({ javaScriptEnabled: false });
  const email = `${randomUUID()}@example.com`;
  const path = `/follow/live/${newsroom.coverage.slug}`;
  await page.goto(path);
  // The choice that needs a script says so.
  await page.getByText(words.device.script).waitFor();
  expect(await page.getByRole('button', { name: words.thisDevice.follow }).count()).toBe(0);
  await page.getByLabel(words.what.key).check();
  await page.getByLabel(accounts.fields.email).fill(email);
  await press(page, words.visitor.send);
  await page.getByText(words.done.mailed).waitFor();
  await page.goto(await confirmationPath(site, mails, email));
  await page.getByText(words.confirm.what('key', 'The river rises at Harrow Bridge')).waitFor();
  await press(page, words.confirm.press);
  await page.getByRole('heading', { name: words.confirm.started }).waitFor();
});

deviceTest(
  'follows with two taps and no account, stops with one, and brings the alerts along to an account',
  async ({ site, newsroom, visit }) => {
    const path = `/follow/live/${newsroom.coverage.slug}`;
    const { page, expectError } = await visit({ serviceWorkers: 'allow', permissions: ['notifications'] });
    await fakePushService(page);
    const says = (sentence: string) => page.locator('#device-says', { hasText: sentence }).waitFor();
    await page.goto(`/live/${newsroom.coverage.slug}`);
    // The first tap.
    await page.getByRole('link', { name: words.link }).first().click();
    await says(words.device.ask);
    // The site cannot be reached: nothing changes, and the page says so.
    expectError(/Failed to load|ERR_FAILED/);
    await page.route('**/api/device-follows', (route) => route.abort(), { times: 1 });
    await press(page, words.thisDevice.follow);
    await says(words.device.failed);
    // The second tap. The permission is granted already.
    await press(page, words.thisDevice.follow);
    await says(words.thisDevice.now.all);
    await expectNoAxeFindings(page);
    expect(await page.getByRole('link', { name: accounts.signUp }).isVisible()).toBe(true);

    await page.getByLabel(words.what.key).check();
    await press(page, words.thisDevice.change);
    await says(words.thisDevice.now.key);

    // The browser renews its subscription: the device keeps its alerts.
    const renewed = subscription(`https://fcm.googleapis.com/fcm/send/${randomUUID()}`);
    await page.evaluate((endpoint) => localStorage.setItem('push-service', endpoint), renewed.endpoint);
    await workerOf(page).evaluate(async (renewed) => {
      const newSubscription = { endpoint: renewed.endpoint, toJSON: () => renewed };
      let done: Promise<unknown> | undefined;
      const waitUntil = (work: Promise<unknown>) => {
        done = work;
      };
      self.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { newSubscription, waitUntil }));
      await done;
    }, renewed);
    await page.reload();
    await says(words.thisDevice.now.key);

    await press(page, words.thisDevice.stop);
    await says(words.thisDevice.stopped);
    expect(await page.evaluate(() => localStorage.getItem('push-service'))).toBeNull();
    await page.reload();
    await says(words.device.ask);
    await press(page, words.thisDevice.follow);
    await says(words.thisDevice.now.all);

    // An account on this device is offered the alerts, and gets them only when its person agrees.
    await signIn(page, await createAccount(site));
    await page.goto(path);
    await currentChoice(page).getByText(words.now.none).waitFor();
    await expectDeviceStatus(page, words.device.withoutAccount);
    await press(page, words.device.adopt);
    await currentChoice(page)
      .getByText(words.now.some('all', false, true))
      .waitFor();
    await expectDeviceStatus(page, words.device.here);
    expect(await devicesOf(page)).toHaveLength(1);
  },
);

deviceTest(
  'explains that the reader or the browser has refused notifications',
  async ({ site, newsroom, visit }) => {
    const reader = await createAccount(site);
    const path = `/follow/live/${newsroom.coverage.slug}`;
    const { page } = await visit();
    await signIn(page, reader);
    // Test windows are private: they refuse without asking.
    await page.goto(path);
    await expectDeviceStatus(page, words.device.ask);
    await onDevice(page).click();
    await expectDeviceStatus(page, words.device.refused);
    expect(await onDevice(page).isChecked()).toBe(false);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Browser.setPermission', {
      permission: { name: 'notifications' },
      setting: 'denied',
      origin: site.url,
    });
    await page.reload();
    await expectDeviceStatus(page, words.device.denied);
    expect(await onDevice(page).isDisabled()).toBe(true);
    await expectNoAxeFindings(page);
  },
);

test('explains that a device without push cannot be alerted', async ({ site, people, newsroom, visit }) => {
  const path = `/follow/live/${newsroom.coverage.slug}`;
  const { page } = await visit();
  await page.goto(path);
  await expectNoAxeFindings(page);
  await signIn(page, await createAccount(site));
  const state = await page.context().storageState();
  await call(people.owner.client, 'save_site', { content: { offline_pages: false } });
  await page.goto(path);
  await page.getByText(words.device.noCopies).waitFor();
  expect(await onDevice(page).count()).toBe(0);
  await call(people.owner.client, 'save_site', { content: { offline_pages: true } });

  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1';
  for (const [userAgent, sentence] of [
    [iphone, words.device.install],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:40.0) Gecko/20100101 Firefox/40.0', words.device.unable],
  ] as const) {
    const { page } = await visit({ userAgent, storageState: state });
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
    await page.goto(path);
    await expectDeviceStatus(page, sentence);
  }
});

deviceTest(
  'registers a device when the choice is saved, moves it to another person, and removes it on sign-out',
  async ({ site, newsroom, visit }) => {
    const path = `/follow/live/${newsroom.coverage.slug}`;
    const [ann, ben] = await Promise.all([createAccount(site), createAccount(site)]);
    const { page, expectError } = await visit({
      serviceWorkers: 'allow',
      permissions: ['notifications'],
    });
    await fakePushService(page);
    await signIn(page, ann);
    await page.goto(path);
    await expectDeviceStatus(page, words.device.ask);
    expect(await page.locator('#this-device').isVisible()).toBe(false);
    await onDevice(page).focus();
    await page.keyboard.press('Space');
    await expectDeviceStatus(page, words.device.ready);
    // The site is unreachable: the choice stays, but nothing is saved.
    expectError(/Failed to load|ERR_FAILED/);
    await page.route('**/api/push', (route) => route.abort(), { times: 1 });
    await press(page, words.save);
    await expectDeviceStatus(page, words.device.failed);
    expect(await onDevice(page).isChecked()).toBe(false);
    await onDevice(page).check();
    await expectDeviceStatus(page, words.device.ready);
    await press(page, words.save);
    await currentChoice(page)
      .getByText(words.now.some('all', false, true))
      .waitFor();
    await expectDeviceStatus(page, words.device.here);
    await expectNoAxeFindings(page);
    expect(await devicesOf(page)).toHaveLength(1);

    // A new address at the push service does not add a second device.
    const [before] = await devicesOf(page);
    await page.evaluate(() =>
      localStorage.setItem('push-service', `https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}`),
    );
    const endpoint = await page.evaluate(() => localStorage.getItem('push-service') ?? '');
    await workerOf(page).evaluate(async (renewed) => {
      const newSubscription = { endpoint: renewed.endpoint, toJSON: () => renewed };
      let done: Promise<unknown> | undefined;
      const waitUntil = (work: Promise<unknown>) => {
        done = work;
      };
      self.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { newSubscription, waitUntil }));
      await done;
    }, subscription(endpoint));
    await page.reload();
    await expectDeviceStatus(page, words.device.here);
    const devices = await devicesOf(page);
    expect(devices).toHaveLength(1);
    expect(devices).not.toEqual([before]);

    // Another person on this device sees that it is registered for someone else, and takes it over.
    await page.context().clearCookies();
    await signIn(page, ben);
    await page.goto(path);
    await expectDeviceStatus(page, words.device.other);
    await onDevice(page).check();
    await press(page, words.save);
    await expectDeviceStatus(page, words.device.here);
    await page.goto('/account');
    await press(page, account.leave.here);
    await page.waitForURL((url) => url.pathname === '/');
    expect(await page.evaluate(() => localStorage.getItem('push-service'))).toBeNull();
    await signIn(page, ben);
    await page.goto(path);
    expect(await devicesOf(page)).toEqual([]);
    await expectDeviceStatus(page, words.device.ask);
  },
);

deviceTest(
  'shows each alert once, and a general notification for an unreadable message',
  async ({ newsroom, visit }) => {
    const { slug } = newsroom.coverage;
    const { page } = await visit({ serviceWorkers: 'allow', permissions: ['notifications'] });
    const { deliver, shown } = await openForMessages(page, '/about');
    const alert = {
      alert: randomUUID(),
      title: 'النهر',
      body: 'ارتفع',
      url: `/live/${slug}/3`,
      tag: slug,
      lang: 'ar',
    };
    const startedAt = Date.now();
    await deliver({ ...alert, urgent: true });
    await expect.poll(shown).toMatchObject([
      {
        title: 'النهر',
        body: 'ارتفع',
        tag: slug,
        lang: 'ar',
        dir: 'rtl',
        requireInteraction: true,
        renotify: true,
      },
    ]);
    const [first] = await shown();
    expect(first).toMatchObject({ silent: false, data: { path: `/live/${slug}/3` } });
    expect(first?.timestamp).toBeGreaterThanOrEqual(startedAt);

    await deliver({ ...alert, urgent: true });
    await expect.poll(async () => (await shown())[0]).toMatchObject({ silent: true, renotify: false });
    expect(await shown()).toHaveLength(1);
    // The next alert of the coverage replaces it, with sound.
    await deliver({ ...alert, alert: randomUUID(), title: 'Next', urgent: false });
    await expect.poll(shown).toMatchObject([{ title: 'Next', silent: false, requireInteraction: false }]);

    for (const nonsense of [
      '',
      'no JSON',
      '[]',
      'null',
      '{"title":7,"url":{},"tag":[],"lang":"no such tongue","urgent":"yes"}',
    ]) {
      await deliver(nonsense);
    }
    await expect
      .poll(async () => (await shown()).map(({ title, body, tag }) => [title, body, tag]))
      .toContainEqual(['Stoppress', words.unread, 'news']);
    expect(await shown()).toHaveLength(2);
    // A link to another site is replaced by the front page.
    await deliver({ alert: 'x', title: 'Elsewhere', url: 'https://evil.example/live/x', tag: 'x' });
    await expect
      .poll(async () => (await shown()).find(({ tag }) => tag === 'x')?.data)
      .toEqual({ path: '/' });
  },
);

deviceTest(
  'focuses an open live page when its notification is clicked, and opens the page otherwise',
  async ({ newsroom, visit }) => {
    const { slug } = newsroom.coverage;
    const { page } = await visit({ serviceWorkers: 'allow', permissions: ['notifications'] });
    const { deliver, shown } = await openForMessages(page, '/about');
    const alert = { title: 'New', body: 'News', url: `/live/${slug}/3` };
    /** Dispatches a click. The window functions are replaced, because browsers allow them only after a real click. */
    const clickNotification = async (id: string) => {
      // Chromium closes a notification by its tag, and perhaps after the next one is shown.
      await deliver({ ...alert, alert: id, tag: id });
      await expect.poll(shown).toHaveLength(1);
      return workerOf(page).evaluate(async () => {
        const worker = self as unknown as {
          registration: ServiceWorkerRegistration;
          clients: { openWindow(url: string): Promise<void> };
          WindowClient: { prototype: { url: string; focus(): Promise<void> } };
        };
        const actions: string[] = [];
        worker.clients.openWindow = async (url) => void actions.push(`opened ${url}`);
        worker.WindowClient.prototype.focus = async function focus() {
          actions.push(`brought ${new URL(this.url).pathname}`);
        };
        const [notification] = await worker.registration.getNotifications();
        let done: Promise<unknown> | undefined;
        const waitUntil = (work: Promise<unknown>) => {
          done = work;
        };
        self.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
        await done;
        return [...actions, (await worker.registration.getNotifications()).length];
      });
    };
    expect(await clickNotification('a')).toEqual([`opened /live/${slug}/3`, 0]);
    const other = await page.context().newPage();
    await other.goto(`/live/${slug}`);
    expect(await clickNotification('b')).toEqual([`brought /live/${slug}`, 0]);
  },
);
