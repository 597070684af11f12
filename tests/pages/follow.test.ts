import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { follow as words } from '../../src/lib/i18n/en/follow.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { announceAlertChannels, subscriptionAt } from '../support/alerts.ts';
import { type CookieJar, cookieJar, formIn, redirectOf, signInJar, whoIs } from '../support/http-client.ts';
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
      const jar = await signInJar(site.url, member);
      await jar.post(`/follow/live/${slug}`, { scope: 'all', mail: 'on' });
      await newsroom.publish({ urgency: 'important' });
      return { slug, member, jar };
    },
  );

/** The current choice, as the page states it. */
const currentChoice = (page: string) => /<p id="in-force">([^<]*)/.exec(page)?.[1];
const pageOf = async (jar: CookieJar, path: string) => (await jar.get(path)).text();
const send = (jar: CookieJar, { action, fields }: ReturnType<typeof formIn>, more = {}) =>
  jar.post(action, { ...fields, ...more });

/** A subscription as a browser sends it. */
const subscription = (endpoint = `https://fcm.googleapis.com/fcm/send/${randomUUID()}`) =>
  subscriptionAt(endpoint);

/** Sends a device's push subscription, or its removal. */
const sendDevice = (site: string, jar: CookieJar, content: object, { method = 'POST', origin = site } = {}) =>
  fetch(`${site}/api/push`, {
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

test('creates a following account from a confirmed address, by the button and not by opening the link', async ({
  site,
  mails,
  newsroom,
}) => {
  const path = `/follow/live/${newsroom.coverage.slug}`;
  const email = `${randomUUID()}@example.com`;
  const jar = cookieJar(site.url);
  const live = await pageOf(jar, `/live/${newsroom.coverage.slug}`);
  expect(live).toContain(`href="${path}"`);
  const form = formIn(await pageOf(jar, path), words.nobody.send);
  expect(formIn(await pageOf(jar, path), words.nobody.send).fields).not.toHaveProperty('push');
  // The address is validated before anything is sent; the choice stays.
  const wrong = await send(jar, form, { email: 'nobody', scope: 'key' });
  expect(wrong.status).toBe(422);
  const again = formIn(await wrong.text(), accounts.byMail.submit);
  expect(redirectOf(await send(jar, again, { email }))).toEqual([303, again.action]);
  expect(await pageOf(jar, again.action)).toContain(
    words.confirm.what('key', 'The river rises at Harrow Bridge'),
  );

  const mail = await mails.next(email);
  const elsewhere = cookieJar(site.url);
  const link = mail.link.replace(site.url, '');
  const shown = await pageOf(elsewhere, link);
  expect(shown).toContain(words.confirm.what('key', 'The river rises at Harrow Bridge'));
  expect(await whoIs(elsewhere)).toBeNull();
  const begun = await send(elsewhere, formIn(shown, words.confirm.press));
  expect(redirectOf(begun)).toEqual([303, `${path}?done=confirmed`]);
  const done = await pageOf(elsewhere, `${path}?done=confirmed`);
  expect(done).toContain(words.done.confirmed);
  expect(currentChoice(done)).toBe(words.now.some('key', true, false));
  expect(done).toContain(email);
});

test('accepts a mailed code as well, and keeps an earlier choice', async ({
  site,
  mails,
  newsroom,
  newAccount,
}) => {
  const path = `/follow/live/${newsroom.coverage.slug}`;
  const member = await newAccount();
  const jar = await signInJar(site.url, member);
  const endpoint = `https://fcm.googleapis.com/fcm/send/${randomUUID()}`;
  const registered = await sendDevice(site.url, jar, {
    person: member.id,
    subscription: subscription(endpoint),
  });
  expect(registered.status).toBe(200);
  expect(redirectOf(await jar.post(path, { scope: 'all', push: 'on' }))).toEqual([303, `${path}?done=saved`]);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.some('all', false, true));

  const signedOut = cookieJar(site.url);
  const form = formIn(await pageOf(signedOut, path), words.nobody.send);
  const mailed = await send(signedOut, form, { email: member.email, scope: 'key' });
  const { code = '' } = await mails.next(member.email);
  const at = mailed.headers.get('location') ?? '';
  const confirm = formIn(await pageOf(signedOut, at), accounts.byMail.press.follow);
  expect(redirectOf(await send(signedOut, confirm, { code }))).toEqual([303, `${path}?done=confirmed`]);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.some('key', true, true));

  expect((await jar.post(path, { act: 'stop', scope: 'key' })).status).toBe(303);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.none);
});

test('preselects a choice from the address, without saving it when it is opened or after a sign-in by mail', async ({
  site,
  newsroom,
  mails,
  newAccount,
}) => {
  const path = `/follow/live/${newsroom.coverage.slug}`;
  const member = await newAccount();
  const jar = await signInJar(site.url, member);
  const opened = await pageOf(jar, `${path}?mail=key`);
  expect(currentChoice(opened)).toBe(words.now.none);
  expect(opened).toMatch(/name="mail" checked/);
  expect(opened).toMatch(/value="key" checked/);
  const signedOut = cookieJar(site.url);
  const next = encodeURIComponent(`${path}?mail=key`);
  await signedOut.post(`/auth/code?for=sign-in&next=${next}`, { act: 'mail', email: member.email });
  const { code = '' } = await mails.next(member.email);
  const used = { act: 'code', email: member.email, code };
  expect((await signedOut.post(`/auth/code?for=sign-in&next=${next}`, used)).status).toBe(303);
  expect(currentChoice(await pageOf(jar, path))).toBe(words.now.none);
});

test('rejects a follow without a channel, a device or a session, and offers none for an ended coverage', async ({
  site,
  people,
  newsroom,
  newAccount,
}) => {
  const { slug, id } = newsroom.coverage;
  const path = `/follow/live/${slug}`;
  const jar = await signInJar(site.url, await newAccount());
  const neither = await jar.post(path, { scope: 'key' });
  expect([neither.status, (await neither.text()).includes(words.how.neither)]).toEqual([422, true]);
  const noDevice = await jar.post(path, { scope: 'key', push: 'on' });
  expect([noDevice.status, (await noDevice.text()).includes(words.how.noDevice)]).toEqual([422, true]);
  const signedOut = await cookieJar(site.url).post(path, { scope: 'key', mail: 'on' });
  expect(signedOut.status).toBe(401);
  expect(await signedOut.text()).toContain(words.nobody.signedOut);
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
  expect(formIn(over, words.stop).fields).toEqual({ act: 'stop' });
  await newsroom.setState('withdrawn');
  const gone = await jar.get(`${path}-x`);
  expect([gone.status, (await gone.text()).includes(reader.errors.gone.title)]).toEqual([410, true]);
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
  const jar = await signInJar(site.url, await newAccount());
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
  const [annsJar, bensJar] = await Promise.all([signInJar(site.url, ann), signInJar(site.url, ben)]);
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
  expect(await devicesOf(await signInJar(site.url, ann), path)).toBe('');
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
  expect(await whoIs(jar)).toMatchObject({ id: member.id });
});
