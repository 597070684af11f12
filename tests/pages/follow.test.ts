import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { account } from '../../src/lib/i18n/en/accounts.ts';
import { follow as words } from '../../src/lib/i18n/en/follow.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { announceAlertChannels, confirmationPath, subscription } from '../support/alerts.ts';
import {
  type CookieJar,
  cookieJar,
  currentPerson,
  findForm,
  redirectOf,
  signInWithCookies,
} from '../support/http-client.ts';
import type { MailServer } from '../support/mail.ts';
import { call, createLiveCoverage } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { testWithMails as base } from '../support/test.ts';

/** A newsroom that offers alerts by mail and by push. */
const test = base
  .extend('alertChannels', { scope: 'file', auto: true }, ({ site }) => announceAlertChannels(site))
  // A follower whose alert waits for as long as the update can be undone.
  .extend(
    'pendingAlert',
    { scope: 'file', auto: true },
    async ({ site, people, newAccount, alertChannels: _ }) => {
      const newsroom = await createLiveCoverage(people);
      const { slug } = newsroom.coverage;
      const member = await newAccount();
      const jar = await signInWithCookies(site.url, member);
      await jar.post(`/follow/live/${slug}`, { scope: 'all', mail: 'on' });
      await newsroom.publish({ urgency: 'important' });
      return { slug, member, jar };
    },
  );

/** The current choice, as the page states it. */
const currentChoice = (page: string) => /<p id="in-force">([^<]*)/.exec(page)?.[1];
const pageOf = async (jar: CookieJar, path: string) => (await jar.get(path)).text();
const send = (jar: CookieJar, { action, fields }: ReturnType<typeof findForm>, more = {}) =>
  jar.post(action, { ...fields, ...more });

/** Sends a device's push subscription, or its removal. */
const sendDevice = (
  site: string,
  jar: CookieJar,
  content: object,
  { method = 'POST', origin = site, path = '/api/push' } = {},
) =>
  fetch(`${site}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      origin,
      cookie: [...jar.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    body: JSON.stringify(content),
  });

/** Ids of the person's devices, from the alert page. */
const devicesOf = async (jar: CookieJar, path: string) =>
  /data-devices(?:="([^"]*)")? /.exec(await pageOf(jar, path))?.[1] ?? '';

/** Invokes the delivery until an alert mail has arrived. The website's own delivery comes later. */
const unsubscribeLink = ({ service }: TestSite, mails: MailServer, to: string): Promise<string> =>
  vi.waitFor(
    async () => {
      await service.functions.invoke('deliver-alerts', { body: {} });
      const [mail] = mails.delivered.filter((one) => one.to.includes(to)).map(({ mail }) => mail);
      const list = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value;
      const link = /<(https?:[^>]+)>/.exec(list ?? '')?.[1];
      if (!link) throw new Error(`No alert has come to ${to}.`);
      return link;
    },
    { timeout: 40_000, interval: 500 },
  );

test('follows by e-mail without an account, by the button of the mailed link and not by opening it', async ({
  site,
  mails,
  newsroom,
}) => {
  const path = `/follow/live/${newsroom.coverage.slug}`;
  const name = 'The river rises at Harrow Bridge';
  const email = `${randomUUID()}@example.com`;
  const jar = cookieJar(site.url);
  const live = await pageOf(jar, `/live/${newsroom.coverage.slug}`);
  expect(live).toContain(`href="${path}"`);
  const form = findForm(await pageOf(jar, path), words.visitor.send);
  // The address is validated before anything is sent; the choice and the address stay.
  const wrong = await send(jar, form, { email: 'nobody', scope: 'key' });
  expect(wrong.status).toBe(422);
  const again = findForm(await wrong.text(), words.visitor.send);
  expect(again.fields).toMatchObject({ email: 'nobody', scope: 'key' });
  expect(redirectOf(await send(jar, again, { email }))).toEqual([303, `${path}?done=mailed`]);
  expect(await pageOf(jar, `${path}?done=mailed`)).toContain(words.done.mailed);
  // An address that has an account gets the same response.
  expect(redirectOf(await send(jar, again, { email: `${randomUUID()}@example.com` }))).toEqual([
    303,
    `${path}?done=mailed`,
  ]);

  const link = await confirmationPath(site, mails, email);
  const elsewhere = cookieJar(site.url);
  const opened = await elsewhere.get(link);
  expect(opened.headers.get('cache-control')).toBe('no-store');
  expect(opened.headers.get('x-robots-tag')).toBe('noindex');
  const shown = await opened.text();
  expect(shown).toContain(words.confirm.what('key', name));
  const foreign = await elsewhere.post(link, {}, { origin: 'https://evil.example' });
  expect(foreign.status).toBe(403);
  expect(await pageOf(elsewhere, link)).toContain(words.confirm.press);
  expect(
    redirectOf(await send(elsewhere, { ...findForm(shown, words.confirm.press), action: link })),
  ).toEqual([303, link]);
  const done = await pageOf(elsewhere, link);
  expect(done).toContain(words.confirm.started);
  expect(done).not.toContain(words.confirm.press);
  // No account was created, and no person is signed in.
  expect(await currentPerson(elsewhere)).toBeNull();
  for (const none of ['/follow/confirm/x', `/follow/confirm/${'x'.repeat(43)}`]) {
    expect((await elsewhere.get(none)).status, none).toBe(404);
    expect((await elsewhere.post(none, {})).status, none).toBe(404);
  }
});

test('adds the follows of an address to the account with that address when its person agrees', async ({
  site,
  mails,
  newsroom,
  newAccount,
}) => {
  const path = `/follow/live/${newsroom.coverage.slug}`;
  const member = await newAccount();
  const visitor = cookieJar(site.url);
  const form = findForm(await pageOf(visitor, path), words.visitor.send);
  await send(visitor, form, { email: member.email, scope: 'key' });
  await visitor.post(await confirmationPath(site, mails, member.email), {});
  const jar = await signInWithCookies(site.url, member);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.none);
  const offer = findForm(await pageOf(jar, '/account'), account.alerts.adopt);
  expect(redirectOf(await send(jar, offer))).toEqual([303, '/account?done=adopted']);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.some('key', true, false));
  expect(await pageOf(jar, '/account')).not.toContain(account.alerts.adopt);
});

test('follows on a device without an account, for the browser that holds the subscription only', async ({
  site,
  newsroom,
  newAccount,
}) => {
  const { slug } = newsroom.coverage;
  const jar = cookieJar(site.url);
  const device = subscription();
  const ask = (method: string, content: object, more: object = {}) =>
    sendDevice(site.url, jar, content, { path: '/api/device-follows', method, ...more });
  const followsOf = async (response: Response) =>
    ((await response.json()) as { follows: { slug: string; scope: string }[] }).follows;
  const target = { kind: 'coverage', slug, scope: 'key' };

  for (const [method, content, status] of [
    ['PUT', { ...target }, 422],
    ['PUT', { subscription: device, kind: 'person', slug, scope: 'all' }, 422],
    ['PUT', { subscription: device, ...target, scope: 'some' }, 422],
    ['PUT', { subscription: device, ...target, slug: 'there-is-none' }, 404],
    ['PUT', { subscription: subscription('https://evil.example/push'), ...target }, 422],
    ['DELETE', { subscription: device, kind: 'person' }, 422],
  ] as const) {
    expect((await ask(method, content)).status, JSON.stringify(content)).toBe(status);
  }
  const foreign = await ask('PUT', { subscription: device, ...target }, { origin: 'https://evil.example' });
  expect(foreign.status).toBe(403);
  expect(await followsOf(await ask('POST', { subscription: device }))).toEqual([]);

  const saved = await ask('PUT', { subscription: device, ...target });
  expect(saved.headers.get('cache-control')).toContain('no-store');
  expect(await followsOf(saved)).toMatchObject([{ slug, scope: 'key' }]);
  const thief = { ...device, keys: { ...device.keys, auth: `${'z'.repeat(21)}A` } };
  expect(await followsOf(await ask('POST', { subscription: thief }))).toEqual([]);
  expect(await followsOf(await ask('DELETE', { subscription: thief }))).toEqual([]);
  const renewed = subscription();
  expect(await followsOf(await ask('POST', { former: thief, subscription: renewed }))).toEqual([]);
  expect(await followsOf(await ask('POST', { former: device, subscription: renewed }))).toHaveLength(1);
  expect(await followsOf(await ask('POST', { subscription: device }))).toEqual([]);

  // Registering the same browser for an account brings its follows along.
  const member = await newAccount();
  const own = await signInWithCookies(site.url, member);
  await sendDevice(site.url, own, { person: member.id, subscription: renewed });
  expect(currentChoice(await pageOf(own, `/follow/live/${slug}`))).toBe(words.now.some('key', false, true));
  expect(await followsOf(await ask('POST', { subscription: renewed }))).toEqual([]);
});

test('rejects a follow without a channel, a device or a session, and offers none for an ended coverage', async ({
  site,
  people,
  newsroom,
  newAccount,
}) => {
  const { slug, id } = newsroom.coverage;
  const path = `/follow/live/${slug}`;
  const jar = await signInWithCookies(site.url, await newAccount());
  const neither = await jar.post(path, { scope: 'key' });
  expect([neither.status, (await neither.text()).includes(words.how.neither)]).toEqual([422, true]);
  const noDevice = await jar.post(path, { scope: 'key', push: 'on' });
  expect([noDevice.status, (await noDevice.text()).includes(words.how.noDevice)]).toEqual([422, true]);
  const signedOut = await cookieJar(site.url).post(path, { scope: 'key', mail: 'on' });
  expect(signedOut.status).toBe(401);
  expect(await signedOut.text()).toContain(words.visitor.signedOut);
  expect(
    (await jar.post(path, { scope: 'key', mail: 'on' }, { origin: 'https://evil.example' })).status,
  ).toBe(403);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.none);
  const answer = await jar.get(path);
  expect(answer.headers.get('cache-control')).toContain('no-store');

  expect((await jar.get('/follow/live/there-is-none')).status).toBe(404);
  expect((await jar.get('/follow/topics/there-is-none')).status).toBe(404);
  await jar.post(path, { scope: 'key', mail: 'on' });
  const editor = people.editor.client;
  await call(editor, 'save_coverage', { coverage_id: id, version: 1, content: { slug: `${slug}-x` } });
  expect(redirectOf(await jar.get(path))).toEqual([301, `${path}-x`]);
  await newsroom.setState('paused');
  expect(await pageOf(jar, `/live/${slug}-x`)).toContain(`href="${path}-x"`);
  await newsroom.setState('ended');
  expect(await pageOf(jar, `/live/${slug}-x`)).not.toContain(`href="${path}-x"`);
  const over = await pageOf(jar, `${path}-x`);
  expect(over).toContain(words.over);
  expect(over).not.toContain('name="scope"');
  expect(findForm(over, words.stop).fields).toEqual({ act: 'stop' });
  await newsroom.setState('withdrawn');
  const gone = await jar.get(`${path}-x`);
  expect([gone.status, (await gone.text()).includes(reader.errors.gone.title)]).toEqual([410, true]);
});

test('saves a follow that was sent to a former slug', async ({ site, people, newsroom, newAccount }) => {
  const { slug, id } = newsroom.coverage;
  const path = `/follow/live/${slug}`;
  const jar = await signInWithCookies(site.url, await newAccount());
  const content = { slug: `${slug}-x` };
  await call(people.editor.client, 'save_coverage', { coverage_id: id, version: 1, content });
  await expect.poll(async () => redirectOf(await jar.get(path))).toEqual([301, `${path}-x`]);
  const neither = await jar.post(path, { scope: 'key' });
  expect([neither.status, (await neither.text()).includes(`action="${path}-x"`)]).toEqual([422, true]);
  const saved = await jar.post(path, { scope: 'key', mail: 'on' });
  expect(redirectOf(saved)).toEqual([303, `${path}-x?done=saved`]);
  expect(currentChoice(await pageOf(jar, `${path}-x`))).toBe(words.now.some('key', true, false));
});

test('follows topics too, and writes the page in the language of the coverage', async ({
  site,
  people,
  newAccount,
}) => {
  const editor = people.editor.client;
  const topic = `topic-${randomUUID().slice(0, 8)}`;
  await call(editor, 'save_topic', { slug: topic, name: 'Floods', description: 'High water.' });
  const path = `/follow/topics/${topic}`;
  const jar = await signInWithCookies(site.url, await newAccount());
  expect(await pageOf(jar, `/topics/${topic}`)).toContain(`href="${path}"`);
  expect((await jar.post(path, { scope: 'all', mail: 'on' })).status).toBe(303);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.some('all', true, false));

  const slug = `crecida-${randomUUID().slice(0, 8)}`;
  const content = { slug, headline: 'Crece el río', time_zone: 'Europe/Madrid', language: 'es' };
  const coverage_id = randomUUID();
  await call(editor, 'create_coverage', { coverage_id, content });
  await call(editor, 'set_coverage_state', { coverage_id, state: 'live' });
  const page = await pageOf(jar, `/follow/live/${slug}`);
  expect(page).toContain('<html lang="es"');
  expect(page).toContain('Solo momentos clave');
  expect(await pageOf(jar, `/live/${slug}`)).toContain('>Recibir alertas</a>');
});

test('saves and removes a device only for the person who is signed in on it', async ({
  site,
  newsroom,
  newAccount,
}) => {
  const path = `/follow/live/${newsroom.coverage.slug}`;
  const [ann, ben] = await Promise.all([newAccount(), newAccount()]);
  const [annsJar, bensJar] = await Promise.all([
    signInWithCookies(site.url, ann),
    signInWithCookies(site.url, ben),
  ]);
  const anns = { person: ann.id, subscription: subscription() };
  expect((await sendDevice(site.url, cookieJar(site.url), anns)).status).toBe(401);
  expect((await sendDevice(site.url, bensJar, anns)).status).toBe(403);
  expect((await sendDevice(site.url, annsJar, anns, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await sendDevice(site.url, annsJar, { person: ann.id })).status).toBe(422);
  const elsewhere = { ...anns, subscription: subscription('https://evil.example/push') };
  expect((await sendDevice(site.url, annsJar, elsewhere)).status).toBe(422);
  const saved = await sendDevice(site.url, annsJar, anns);
  const { id } = (await saved.json()) as { id: string };
  expect((await sendDevice(site.url, bensJar, { id }, { method: 'DELETE' })).status).toBe(200);
  expect(await devicesOf(annsJar, path)).toBe(id);
  expect((await sendDevice(site.url, annsJar, { id }, { method: 'DELETE' })).status).toBe(200);
  expect(await devicesOf(annsJar, path)).toBe('');
  // Signing out everywhere removes the devices.
  expect((await sendDevice(site.url, annsJar, anns)).status).toBe(200);
  expect((await annsJar.post('/account', { form: 'everywhere' })).status).toBe(303);
  expect(await devicesOf(await signInWithCookies(site.url, ann), path)).toBe('');
});

test('stops alerts by the link of a mail, from any origin and repeatedly, without revealing the account', async ({
  site,
  mails,
  pendingAlert,
}) => {
  const { slug, member, jar } = pendingAlert;
  const path = (await unsubscribeLink(site, mails, member.email)).replace(site.url, '');
  const opened = await fetch(site.url + path);
  const { headers } = opened;
  expect([opened.status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-robots-tag')).toBe('noindex');
  expect(headers.getSetCookie()).toEqual([]);
  const page = await opened.text();
  expect(page).toContain('The river rises at Harrow Bridge');
  expect(page).not.toContain(member.email);
  expect(currentChoice(await pageOf(jar, `/follow/live/${slug}`))).toBe(words.now.some('all', true, false));

  // Without a page before, as a mail program does, and from a page of another origin.
  const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
  for (const origin of [undefined, 'https://mail.example']) {
    const pressed = await fetch(site.url + path, {
      ...oneClick,
      headers: origin ? { origin, 'sec-fetch-site': 'cross-site' } : {},
      redirect: 'manual',
    });
    expect(pressed.status).toBe(200);
    expect(await pressed.text()).toContain(words.unsubscribe.stopped);
  }
  expect(currentChoice(await pageOf(jar, `/follow/live/${slug}`))).toBe(words.now.none);
  const after = await (await fetch(site.url + path)).text();
  expect(after).not.toContain('<form');

  for (const none of [`${path}x`, '/unsubscribe/x', `/unsubscribe/${'x'.repeat(43)}`]) {
    expect((await fetch(site.url + none)).status, none).toBe(404);
    expect((await fetch(site.url + none, oneClick)).status, none).toBe(404);
  }
  // The exception for other origins applies to no other form.
  for (const other of ['/account', '/unsubscribe', `${path}/x`, `/unsubscribe/..%2Faccount`]) {
    const refused = await jar.post(other, { form: 'everywhere' }, { origin: 'https://mail.example' });
    expect([403, 405], other).toContain(refused.status);
  }
  expect(await currentPerson(jar)).toMatchObject({ id: member.id });
});
