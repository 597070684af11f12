import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { ownTips as words } from '../../src/lib/i18n/en/own-tips.ts';
import { expectNoAxeFindings, test } from '../support/browser.ts';
import { call, callServer, createUser, type Person, paragraph } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import type { TestSite } from '../support/site.ts';

/** Adds a tip of a signed-in person, and returns its id. */
async function addTip({ service }: TestSite, { id }: Person, body: string): Promise<string> {
  const tip_id = randomUUID();
  const receipt = `${randomUUID()}${randomUUID()}`;
  await callServer(service, 'add_tip', { tip_id, content: { body }, receipt, sender: { person: id } });
  return tip_id;
}

type TipVersion = { version: number };

/** Counts the page's requests for its tips from now on. */
function countRefetches(page: Page): () => number {
  let refetches = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/rpc/my_tips')) refetches++;
  });
  return () => refetches;
}

const rowOf = (page: Page, body: string) => page.locator('.own-tips li', { hasText: body });
const statusOf = (page: Page) => page.locator('.own-tips').getByRole('status');
const expectStatus = (page: Page, words: string) => page.locator('.own-tips').getByText(words).waitFor();

test('shows the state of a sent tip as it changes, and catches up after a lost connection', async ({
  site,
  newsroom,
  visit,
}) => {
  const { moderator, editor } = newsroom.people;
  const reader = await createUser(site, 'reader');
  const gate = await addTip(site, reader, 'The lower gate is closed.');
  const spam = await addTip(site, reader, 'Cheap gates.');
  const { page, expectError } = await visit();
  expectError(/ERR_INTERNET_DISCONNECTED/);
  await signIn(page, reader);
  const joined = page
    .waitForEvent('websocket')
    .then((socket) =>
      socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"status":"ok"')),
    );
  await page.goto('/account');
  await joined;
  await expectStatus(page, words.current);
  const refetches = countRefetches(page);

  const reviewed = await call<TipVersion>(moderator.client, 'review_tip', { tip_id: gate, version: 1 });
  await rowOf(page, 'lower gate').getByText(words.states.in_review).waitFor();
  expect(await statusOf(page).innerText()).toBe(words.news.in_review('The lower gate is closed.'));
  const update_id = randomUUID();
  await call(moderator.client, 'use_tip', {
    tip_id: gate,
    version: reviewed.version,
    coverage_id: newsroom.coverage.id,
    update_id,
    content: { quote: 'The lower gate is closed.' },
  });
  await rowOf(page, 'lower gate').getByText(words.unseen).waitFor();
  expect(await statusOf(page).getByRole('link').count()).toBe(0);
  const published = await call<{ number: number }>(editor.client, 'publish_update', {
    coverage_id: newsroom.coverage.id,
    update_id,
    version: 1,
    content: { body: [paragraph('The lower gate is closed, a reader says.')] },
  });
  const link = statusOf(page).getByRole('link', { name: words.see });
  await link.waitFor();
  expect(await statusOf(page).innerText()).toContain(words.news.used('The lower gate is closed.'));
  expect(await link.getAttribute('href')).toBe(`/live/${newsroom.coverage.slug}/${published.number}`);
  await rowOf(page, 'lower gate').getByText(words.states.used).waitFor();
  // At most one request for each change; there is no polling while the socket works.
  expect(refetches()).toBeLessThanOrEqual(4);
  await expectNoAxeFindings(page);

  await page.context().setOffline(true);
  await expectStatus(page, words.behind);
  await call(moderator.client, 'close_tip', { tip_id: spam, version: 1, state: 'spam' });
  await page.context().setOffline(false);
  await rowOf(page, 'Cheap gates.').getByText(words.states.declined).waitFor();
  expect(await statusOf(page).innerText()).toBe(words.news.declined('Cheap gates.'));
  await expectStatus(page, words.current);
});

test('polls the list without a socket, and says when the session ended', async ({
  site,
  newsroom,
  visit,
}) => {
  const reader = await createUser(site, 'reader');
  const gate = await addTip(site, reader, 'The lower gate is closed.');
  const { page, expectError } = await visit();
  expectError(/401|403/);
  await page.routeWebSocket(/realtime/, (socket) => socket.close());
  await signIn(page, reader);
  await page.clock.install();
  await page.goto('/account');
  await expectStatus(page, words.current);
  await call(newsroom.people.moderator.client, 'close_tip', { tip_id: gate, version: 1, state: 'declined' });
  await page.clock.fastForward(11_000);
  await rowOf(page, 'lower gate').getByText(words.states.declined).waitFor();

  await reader.client.auth.signOut({ scope: 'global' });
  await page.clock.fastForward(11_000);
  await page.locator('.own-tips').getByRole('link', { name: words.signIn }).waitFor();
});
