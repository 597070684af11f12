import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { account as words } from '../../src/lib/text/account.ts';
import { accounts } from '../../src/lib/text/accounts.ts';
import { follow } from '../../src/lib/text/follow.ts';
import { ownTips } from '../../src/lib/text/own-tips.ts';
import { type CookieJar, cookieJar } from '../support/cookies.ts';
import { formIn } from '../support/forms.ts';
import { test } from '../support/mailing-test.ts';
import { call, hire, type Person, run } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { leadsTo, signedIn, signsIn } from '../support/visitor.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

const isIn = async (jar: CookieJar) => (await jar.get('/account')).status === 200;

/** Sends a form of the page as its button does. */
const send = (jar: CookieJar, form: string, fields: Record<string, string> = {}) =>
  jar.post('/account', { form, ...fields });

const decoded = (page: string) =>
  page.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

test('a visitor is sent to sign in, and back', async ({ site }) => {
  for (const path of ['/account', '/account/delete']) {
    const answer = await cookieJar(site.url).get(path);
    expect(answer.headers.get('location')).toBe(`/sign-in?${new URLSearchParams({ next: path })}`);
  }
});

test('is nobody else’s: not kept, not from another site, and what it says is never the address’s', async ({
  site,
  newMember,
}) => {
  const member = await newMember();
  const jar = await signedIn(site.url, member);
  const answer = await jar.get('/account?done=Your+account+is+in+danger');
  expect(answer.headers.get('cache-control')).toContain('no-store');
  // By it a browser tells a slow site from a slow line.
  expect(answer.headers.get('server-timing')).toMatch(/^made;dur=\d+$/);
  const page = await answer.text();
  expect(page).toContain(member.email);
  expect(page).not.toContain('in danger');
  const foreign = { origin: 'https://evil.example' };
  expect((await jar.post('/account', { form: 'everywhere' }, foreign)).status).toBe(403);
  expect((await jar.post('/account/delete', { current_password: member.password }, foreign)).status).toBe(
    403,
  );
  expect((await jar.post('/account', { form: 'delete' })).status).toBe(422);
  expect(await isIn(jar)).toBe(true);
});

describe('the name', () => {
  test('is saved, and said so after going back to the page', async ({ site, newMember }) => {
    const jar = await signedIn(site.url, await newMember());
    const answer = await send(jar, 'name', { display_name: ' Zoë Ö. ' });
    expect(leadsTo(answer)).toEqual([303, '/account?done=name']);
    const page = await (await jar.get('/account?done=name')).text();
    expect(page).toContain(words.done.name);
    expect(page).toContain('value="Zoë Ö."');
    expect(page).not.toContain('name="bio"');
  });

  test('comes with a few words for those who write; what breaks a rule is said at its field and kept', async ({
    site,
    newMember,
  }) => {
    const member = await newMember();
    await call(site.service, 'set_role', { person_id: member.id, role: 'reporter' });
    const jar = await signedIn(site.url, member);
    const wrong = await send(jar, 'name', { display_name: 'Ann', bio: 'x'.repeat(501) });
    expect(wrong.status).toBe(422);
    const page = await wrong.text();
    expect(page).toMatch(/id="bio"[^>]*aria-describedby="bio-help bio-problem"/);
    expect(page).toContain('x'.repeat(501));
    expect(page).toContain(`<title>${accounts.titleOfProblem(words.title)}`);
    await send(jar, 'name', { display_name: 'Ann', bio: 'At the river.\r\nSince 2020.' });
    const { data } = await site.service
      .from('people')
      .select('display_name, bio')
      .eq('id', member.id)
      .single();
    expect(data).toEqual({ display_name: 'Ann', bio: 'At the river.\nSince 2020.' });
  });

  test('typed when the session had ended, it is kept for the next try', async ({ site }) => {
    const answer = await send(cookieJar(site.url), 'name', { display_name: 'Ann Lee', bio: 'River.' });
    expect(answer.status).toBe(401);
    const page = await answer.text();
    expect(page).toContain(words.signedOut);
    expect(page).toContain('value="Ann Lee"');
    expect(page).toContain('>River.</textarea>');
    expect(page).toContain('href="/sign-in"');
  });
});

describe('the password', () => {
  test('is changed by who knows the old one; every other device is signed out', async ({
    site,
    newMember,
  }) => {
    const member = await newMember();
    const [jar, other] = [await signedIn(site.url, member), await signedIn(site.url, member)];
    const next = 'another good long one';
    const answer = await send(jar, 'password', { current_password: member.password, new_password: next });
    expect(leadsTo(answer)).toEqual([303, '/account?done=password']);
    expect(await signsIn(site.url, member)).toBe(false);
    expect(await signsIn(site.url, { ...member, password: next })).toBe(true);
    expect(await isIn(jar)).toBe(true);
    expect(await isIn(other)).toBe(false);
  });

  test.for([
    ['a wrong one', { current_password: 'wrong horse battery' }, 'current_password', words.password.wrong],
    ['none', { current_password: '' }, 'current_password', words.password.wrong],
    ['the same again', { new_password: 'correct horse battery' }, 'new_password', words.password.same],
    ['a short one', { new_password: 'short' }, 'new_password', accounts.problems.passwordShort(10)],
  ] as const)(
    '%s changes nothing, and no password is sent back',
    async ([, fields, field, problem], { site, newMember }) => {
      const member = await newMember();
      const jar = await signedIn(site.url, member);
      const given = { current_password: member.password, new_password: 'another good long one', ...fields };
      const answer = await send(jar, 'password', given);
      expect(answer.status).toBe(422);
      const page = decoded(await answer.text());
      expect(page).toMatch(
        new RegExp(`name="${field}"[^>]*aria-describedby="[^"]*-problem"[^>]*aria-invalid="true"`),
      );
      expect(page).toContain(problem);
      for (const value of Object.values(given)) if (value) expect(page).not.toContain(value);
      expect(await signsIn(site.url, member)).toBe(true);
    },
  );

  test('is not to be guessed at an open browser: ten tries, then a wait', async ({ site, newMember }) => {
    const jar = await signedIn(site.url, await newMember());
    const guess = { current_password: 'wrong horse battery', new_password: 'another good long one' };
    for (let n = 0; n < 10; n++) expect((await send(jar, 'password', guess)).status).toBe(422);
    const answer = await send(jar, 'password', guess);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(await answer.text()).toContain('Wait 15 minutes');
  });

  test('can be chosen by mail by who has none', async ({ site, newMember, mails }) => {
    const member = await newMember();
    const jar = await signedIn(site.url, member);
    const answer = await send(jar, 'password_mail');
    expect(answer.headers.get('location')).toBe('/account?done=password_mail');
    const { link } = await mails.next(member.email);
    expect(new URL(link).searchParams.get('type')).toBe('recovery');
  });
});

describe('the address', () => {
  test('changes when the links of both mails are followed', async ({ site, newMember, mails }) => {
    const member = await newMember();
    const jar = await signedIn(site.url, member);
    const email = `${randomUUID()}@example.com`;
    const answer = await send(jar, 'email', {
      email: email.toUpperCase(),
      current_password: member.password,
    });
    expect(answer.headers.get('location')).toBe('/account?done=mailed');
    expect(await (await jar.get('/account')).text()).toContain(words.email.waiting(email));
    for (const address of [member.email, email]) {
      expect(await signsIn(site.url, member)).toBe(true);
      const { link } = await mails.next(address);
      const page = await (await jar.get(link.slice(site.url.length))).text();
      const { action, fields } = formIn(page, accounts.link.email_change.press);
      expect((await jar.post(action, fields)).status).toBe(303);
    }
    expect(await signsIn(site.url, { ...member, email })).toBe(true);
    expect(await signsIn(site.url, member)).toBe(false);
    expect(await (await jar.get('/account')).text()).toContain(words.email.now(email));
  });

  test.for([
    ['a wrong password', { current_password: 'wrong horse battery' }, words.password.wrong],
    ['no address', { email: 'nobody' }, accounts.problems.email],
  ] as const)(
    '%s asks for nothing, and keeps what was typed',
    async ([, fields, problem], { site, newMember }) => {
      const member = await newMember();
      const jar = await signedIn(site.url, member);
      const given = { email: `${randomUUID()}@example.com`, current_password: member.password, ...fields };
      const answer = await send(jar, 'email', given);
      expect(answer.status).toBe(422);
      const page = decoded(await answer.text());
      expect(page).toContain(problem);
      expect(page).toContain(`value="${given.email}"`);
      const { data } = await site.service.auth.admin.getUserById(member.id);
      expect(data.user?.new_email).toBeFalsy();
    },
  );
});

describe('devices', () => {
  test('are named, and signed out one by one; nobody ends another’s', async ({ site, newMember }) => {
    const [member, stranger] = [await newMember(), await newMember()];
    const here = await signedIn(site.url, member, { 'user-agent': FIREFOX });
    const phone = await signedIn(site.url, member, { 'user-agent': IPHONE });
    const page = await (await here.get('/account')).text();
    expect(page.match(/Firefox on Linux|Safari on iPhone/g)).toContain('Firefox on Linux');
    const { fields } = formIn(page, words.devices.end);
    expect(page).toContain(words.devices.endOf('Safari on iPhone'));

    const answer = await (await signedIn(site.url, stranger)).post('/account', fields);
    expect(answer.status).toBe(303);
    expect(await isIn(phone)).toBe(true);

    await here.post('/account', fields);
    expect(await isIn(phone)).toBe(false);
    expect(await isIn(here)).toBe(true);
    const after = await (await here.get('/account')).text();
    expect(after).not.toContain('Safari on iPhone');
    expect((await send(here, 'device', { device: 'no id' })).status).toBe(422);
  });

  test('are all signed out at once, this one too', async ({ site, newMember }) => {
    const member = await newMember();
    const [here, phone] = [
      await signedIn(site.url, member),
      await signedIn(site.url, member, { 'user-agent': IPHONE }),
    ];
    const answer = await send(here, 'everywhere');
    expect(leadsTo(answer)).toEqual([303, '/account/signed-out']);
    expect(here.cookies.size).toBe(0);
    expect(await (await here.get('/account/signed-out')).text()).toContain(words.over['signed-out'].say);
    expect(await isIn(phone)).toBe(false);
    expect((await here.get('/account/elsewhere')).status).toBe(404);
  });
});

/** What `my_follows` says of somebody, but its ids. */
async function followsOf({ client }: Person) {
  const rows = await run<Record<string, unknown>[]>(client, 'my_follows', {});
  return rows.map(({ slug, scope, mail, push }) => ({ slug, scope, mail, push }));
}

const saveFollow = ({ client }: Person, target: Record<string, string>, wish: object = {}) =>
  call(client, 'save_follow', { target, scope: 'all', mail: true, push: false, ...wish });

/** A browser that could be told; its keys are no real ones. */
const savePush = ({ client }: Person, device: string) =>
  call<{ id: string }>(client, 'save_push', {
    subscription: {
      endpoint: `https://fcm.googleapis.com/fcm/send/${randomUUID()}`,
      keys: { p256dh: `BA${'a'.repeat(85)}`, auth: `${'a'.repeat(21)}A` },
    },
    device,
  });

const offerAlerts = ({ service }: TestSite) =>
  run(service, 'keep_alert_means', {
    push_public: `BA${'a'.repeat(85)}`,
    push_private: 'a'.repeat(43),
    mail: true,
  });

describe('what is followed', () => {
  test('is changed and stopped in place, and leads to the way back; each form is about one’s own', async ({
    site,
    newsroom,
  }) => {
    await offerAlerts(site);
    const [one, other] = [await hire(site, 'reader'), await hire(site, 'reader')];
    const { slug } = newsroom.coverage;
    await saveFollow(one, { coverage: slug });
    const jar = await signedIn(site.url, one);
    const page = decoded(await (await jar.get('/account')).text());
    expect(page).toContain(`href="/live/${slug}"`);
    expect(page).toContain(follow.now.some('all', true, false));
    // To be told on a device there has to be one.
    expect(page).not.toContain(follow.how.pushToo);

    // Nobody’s form reaches what is somebody else’s: it begins or ends their own.
    const stranger = await signedIn(site.url, other);
    const stop = { kind: 'coverage', slug };
    expect(leadsTo(await send(stranger, 'follow', stop))).toEqual([
      303,
      `/account?done=unfollowed&coverage=${slug}`,
    ]);
    expect(await followsOf(one)).toEqual([{ slug, scope: 'all', mail: true, push: false }]);

    const changed = await send(jar, 'follow', { ...stop, scope: 'key', mail: 'on' });
    expect(leadsTo(changed)).toEqual([303, '/account?done=followed']);
    expect(await followsOf(one)).toEqual([{ slug, scope: 'key', mail: true, push: false }]);
    const { fields } = formIn(page, words.follows.stop);
    const stopped = await jar.post('/account', fields);
    expect(await followsOf(one)).toEqual([]);
    const after = await (await jar.get(stopped.headers.get('location') ?? '')).text();
    expect(after).toContain(words.done.unfollowed);
    expect(after).toContain(`<a href="/follow/live/${slug}">${words.followAgain}`);
    expect(after).toContain(words.follows.none);
  });

  test('what cannot be followed is said where it was asked for, and nothing is changed', async ({
    site,
    newsroom,
  }) => {
    const one = await hire(site, 'reader');
    const { slug } = newsroom.coverage;
    await saveFollow(one, { coverage: slug });
    const draft = `${slug}-draft`;
    await call(newsroom.people.editor.client, 'create_coverage', {
      coverage_id: randomUUID(),
      content: { slug: draft, headline: 'Not yet', time_zone: 'UTC', language: 'en' },
    });
    const jar = await signedIn(site.url, one);
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

    // Asking for the page does nothing, whatever its address says; nor does a form of another site, or of nobody.
    await jar.get(`/account?form=follow&kind=coverage&slug=${slug}&done=unfollowed&coverage=${slug}`);
    const stop = { form: 'follow', kind: 'coverage', slug };
    expect((await jar.post('/account', stop, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await cookieJar(site.url).post('/account', stop)).status).toBe(401);
    const said = await (await jar.get('/account?done=unfollowed&coverage=//evil.example')).text();
    expect(said).not.toContain('evil.example');
    expect(said).not.toContain(words.followAgain);
    expect(await followsOf(one)).toHaveLength(1);
    await call(site.service, 'set_active', { person_id: one.id, active: false });
    expect((await jar.post('/account', stop)).status).toBe(401);
    expect((await jar.get('/account/data')).status).toBe(303);
  });
});

describe('devices that show alerts', () => {
  test('are named and removed by their own person alone', async ({ site, newsroom }) => {
    await offerAlerts(site);
    const [one, other] = [await hire(site, 'reader'), await hire(site, 'reader')];
    const { id } = await savePush(one, 'Firefox on Linux');
    await saveFollow(one, { coverage: newsroom.coverage.slug }, { push: true });
    const [jar, stranger] = [await signedIn(site.url, one), await signedIn(site.url, other)];
    expect(await (await jar.get('/account')).text()).toContain('Firefox on Linux');
    expect(await (await stranger.get('/account')).text()).toContain(words.alerts.noDevices);

    expect((await send(stranger, 'alert_device', { device: id })).status).toBe(303);
    expect((await send(jar, 'alert_device', { device: 'no id' })).status).toBe(422);
    const page = await (await jar.get('/account')).text();
    expect(page).toContain('Firefox on Linux');
    const { fields } = formIn(page, words.alerts.remove);
    expect(leadsTo(await jar.post('/account', fields))).toEqual([303, '/account?done=alert_device']);
    expect(await (await jar.get('/account')).text()).not.toContain('Firefox on Linux');
  });
});

describe('what is kept', () => {
  test('is a file for its person: what they put in, and nothing of others', async ({ site, newsroom }) => {
    const [one, other] = [await hire(site, 'reader'), await hire(site, 'reader')];
    for (const [person, body] of [
      [one, 'The lower gate is closed.'],
      [other, 'The upper gate is open.'],
    ] as const) {
      await call(person.client, 'save_me', { content: { display_name: `Of ${body}` } });
      await saveFollow(person, { coverage: newsroom.coverage.slug });
      await savePush(person, `Phone of ${person.handle}`);
      await run(site.service, 'add_tip', {
        tip_id: randomUUID(),
        content: { body, contact: `${person.handle} at home` },
        receipt: `${randomUUID()}${randomUUID()}`,
        sender: { person: person.id },
      });
    }
    const jar = await signedIn(site.url, one);
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
    const nobody = await cookieJar(site.url).get('/account/data');
    expect(leadsTo(nobody)).toEqual([303, '/sign-in?next=%2Faccount']);
  });
});

describe('deleting it', () => {
  test('asks for the password, says what stays, and ends it everywhere', async ({ site, newMember }) => {
    const member = await newMember();
    const [here, phone] = [
      await signedIn(site.url, member),
      await signedIn(site.url, member, { 'user-agent': IPHONE }),
    ];
    const page = await (await here.get('/account/delete')).text();
    for (const what of [...words.deletion.going, ...words.deletion.staying])
      expect(decoded(page)).toContain(what);

    const wrong = await here.post('/account/delete', { current_password: 'wrong horse battery' });
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain(words.password.wrong);
    expect(await isIn(here)).toBe(true);

    const answer = await here.post('/account/delete', { current_password: member.password });
    expect(leadsTo(answer)).toEqual([303, '/account/deleted']);
    expect(here.cookies.size).toBe(0);
    expect(await isIn(phone)).toBe(false);
    expect(await signsIn(site.url, member)).toBe(false);
    const { data } = await site.service
      .from('people')
      .select('active, role, bio')
      .eq('id', member.id)
      .single();
    expect(data).toEqual({ active: false, role: 'reader', bio: '' });
  });

  test('is refused to the only owner, in words', async ({ site, newMember, people }) => {
    const member = await newMember();
    await call(site.service, 'set_role', { person_id: member.id, role: 'owner' });
    await call(site.service, 'set_role', { person_id: people.owner.id, role: 'editor' });
    const jar = await signedIn(site.url, member);
    const answer = await jar.post('/account/delete', { current_password: member.password });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('The last owner cannot be removed.');
    expect(await isIn(jar)).toBe(true);
  });
});
