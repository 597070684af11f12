import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { account as words } from '../../src/lib/i18n/en/accounts.ts';
import { follow } from '../../src/lib/i18n/en/follow.ts';
import { ownTips } from '../../src/lib/i18n/en/own-tips.ts';
import {
  type CookieJar,
  cookieJar,
  findForm,
  redirectOf,
  signInWithCookies,
} from '../support/http-client.ts';
import { call, callServer, createUser, type Person } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';

/* Follows, alert devices and the data export of an account. */

/** Submits a form of the account page. */
const send = (jar: CookieJar, form: string, fields: Record<string, string> = {}) =>
  jar.post('/account', { form, ...fields });

const decoded = (page: string) =>
  page.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Rows of `my_follows` without their ids. */
async function followsOf({ client }: Person) {
  const rows = await callServer<Record<string, unknown>[]>(client, 'my_follows', {});
  return rows.map(({ slug, scope, mail, push }) => ({ slug, scope, mail, push }));
}

const saveFollow = ({ client }: Person, target: Record<string, string>, wish: object = {}) =>
  call(client, 'save_follow', { target, scope: 'all', by_mail: true, by_push: false, ...wish });

/** Saves a push subscription with made-up keys. */
const savePush = ({ client }: Person, device: string) =>
  call<{ id: string }>(client, 'save_push_subscription', {
    subscription: {
      endpoint: `https://fcm.googleapis.com/fcm/send/${randomUUID()}`,
      keys: { p256dh: `BA${'a'.repeat(85)}`, auth: `${'a'.repeat(21)}A` },
    },
    device,
  });

const saveAlertSettings = ({ service }: TestSite, mail: boolean) =>
  callServer(service, 'save_alert_settings', {
    push_public: `BA${'a'.repeat(85)}`,
    push_private: 'a'.repeat(43),
    mail,
  });

test.beforeAll(({ site }) => saveAlertSettings(site, true));
// Other files use this site without a mail server.
test.afterAll(({ site }) => saveAlertSettings(site, false));

describe('follows on the account page', () => {
  test('changes and stops a follow, links to following again, and leaves other people’s follows alone', async ({
    site,
    newsroom,
  }) => {
    const [one, other] = [await createUser(site, 'reader'), await createUser(site, 'reader')];
    const { slug } = newsroom.coverage;
    await saveFollow(one, { coverage: slug });
    const jar = await signInWithCookies(site.url, one);
    const page = decoded(await (await jar.get('/account')).text());
    expect(page).toContain(`href="/live/${slug}"`);
    expect(page).toContain(follow.now.some('all', true, false));
    // Push alerts are offered only for a registered device.
    expect(page).not.toContain(follow.how.pushToo);

    // A form changes only the follows of the person who sends it.
    const stranger = await signInWithCookies(site.url, other);
    const stop = { kind: 'coverage', slug };
    expect(redirectOf(await send(stranger, 'follow', stop))).toEqual([
      303,
      `/account?done=unfollowed&coverage=${slug}`,
    ]);
    expect(await followsOf(one)).toEqual([{ slug, scope: 'all', mail: true, push: false }]);

    const changed = await send(jar, 'follow', { ...stop, scope: 'key', mail: 'on' });
    expect(redirectOf(changed)).toEqual([303, '/account?done=followed']);
    expect(await followsOf(one)).toEqual([{ slug, scope: 'key', mail: true, push: false }]);
    const { fields } = findForm(page, words.follows.stop);
    const stopped = await jar.post('/account', fields);
    expect(await followsOf(one)).toEqual([]);
    const after = await (await jar.get(stopped.headers.get('location') ?? '')).text();
    expect(after).toContain(words.done.unfollowed);
    expect(after).toContain(`<a href="/follow/live/${slug}">${words.followAgain}`);
    expect(after).toContain(words.follows.none);
  });

  test('rejects follows of unknown targets, and forms from other sites or without a session', async ({
    site,
    newsroom,
  }) => {
    const one = await createUser(site, 'reader');
    const { slug } = newsroom.coverage;
    await saveFollow(one, { coverage: slug });
    const draft = `${slug}-draft`;
    await call(newsroom.people.editor.client, 'create_coverage', {
      coverage_id: randomUUID(),
      content: { slug: draft, headline: 'Not yet', time_zone: 'UTC', language: 'en' },
    });
    const jar = await signInWithCookies(site.url, one);
    for (const [fields, status] of [
      [{ kind: 'coverage', slug: draft, mail: 'on' }, 404],
      [{ kind: 'coverage', slug: '', mail: 'on' }, 404],
      [{ kind: 'topic', slug: 'there-is-none', mail: 'on' }, 404],
      [{ kind: 'person', slug, mail: 'on' }, 422],
      [{}, 422],
    ] as const) {
      const answer = await send(jar, 'follow', fields);
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain('class="refused"');
    }
    expect(await followsOf(one)).toEqual([{ slug, scope: 'all', mail: true, push: false }]);

    // Reading the page changes nothing, whatever its address says. Forms from other sites or without a session are rejected.
    await jar.get(`/account?form=follow&kind=coverage&slug=${slug}&done=unfollowed&coverage=${slug}`);
    const stop = { form: 'follow', kind: 'coverage', slug };
    expect((await jar.post('/account', stop, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await cookieJar(site.url).post('/account', stop)).status).toBe(401);
    const page = await (await jar.get('/account?done=unfollowed&coverage=//evil.example')).text();
    expect(page).not.toContain('evil.example');
    expect(page).not.toContain(words.followAgain);
    expect(await followsOf(one)).toHaveLength(1);
    await call(site.service, 'set_active', { person_id: one.id, active: false });
    expect((await jar.post('/account', stop)).status).toBe(401);
    expect((await jar.get('/account/data')).status).toBe(303);
  });
});

describe('alert devices', () => {
  test('shows and removes only devices of the signed-in person', async ({ site, newsroom }) => {
    const [one, other] = [await createUser(site, 'reader'), await createUser(site, 'reader')];
    const { id } = await savePush(one, 'Firefox on Linux');
    await saveFollow(one, { coverage: newsroom.coverage.slug }, { by_push: true });
    const [jar, stranger] = [
      await signInWithCookies(site.url, one),
      await signInWithCookies(site.url, other),
    ];
    expect(await (await jar.get('/account')).text()).toContain('Firefox on Linux');
    expect(await (await stranger.get('/account')).text()).toContain(words.alerts.noDevices);

    expect((await send(stranger, 'alert_device', { device: id })).status).toBe(303);
    expect((await send(jar, 'alert_device', { device: 'no id' })).status).toBe(422);
    const page = await (await jar.get('/account')).text();
    expect(page).toContain('Firefox on Linux');
    const { fields } = findForm(page, words.alerts.remove);
    expect(redirectOf(await jar.post('/account', fields))).toEqual([303, '/account?done=alert_device']);
    expect(await (await jar.get('/account')).text()).not.toContain('Firefox on Linux');
  });
});

describe('data export', () => {
  test('contains what the person entered, and nothing of other people', async ({ site, newsroom }) => {
    const [one, other] = [await createUser(site, 'reader'), await createUser(site, 'reader')];
    for (const [person, body] of [
      [one, 'The lower gate is closed.'],
      [other, 'The upper gate is open.'],
    ] as const) {
      await call(person.client, 'save_me', { content: { display_name: `Of ${body}` } });
      await saveFollow(person, { coverage: newsroom.coverage.slug });
      await savePush(person, `Phone of ${person.handle}`);
      await callServer(site.service, 'add_tip', {
        tip_id: randomUUID(),
        content: { body, contact: `${person.handle} at home` },
        receipt: `${randomUUID()}${randomUUID()}`,
        sender: { person: person.id },
      });
    }
    const jar = await signInWithCookies(site.url, one);
    const page = await (await jar.get('/account')).text();
    expect(page).toContain('The lower gate is closed.');
    expect(page).toContain(ownTips.states.new);
    expect(page).not.toContain('The upper gate');

    const answer = await jar.get('/account/data');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="${one.handle}-\\d{4}-\\d\\d-\\d\\d\\.json"$`),
    );
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const text = await answer.text();
    const data = JSON.parse(text);
    expect(data).toMatchObject({
      person: { id: one.id, display_name: 'Of The lower gate is closed.' },
      account: { email: one.email },
      follows: [{ slug: newsroom.coverage.slug }],
      push: [{ device: `Phone of ${one.handle}` }],
      tips: [{ body: 'The lower gate is closed.', contact: `${one.handle} at home` }],
    });
    expect(data.devices.length).toBeGreaterThan(0);
    for (const secret of [other.id, other.email, other.handle, 'upper gate', 'a'.repeat(21)])
      expect(text).not.toContain(secret);

    expect((await jar.get('/account/data', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const signedOut = await cookieJar(site.url).get('/account/data');
    expect(redirectOf(signedOut)).toEqual([303, '/sign-in?next=%2Faccount']);
  });
});
