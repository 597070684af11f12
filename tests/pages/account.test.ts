import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { accounts, account as words } from '../../src/lib/i18n/en/accounts.ts';
import {
  type CookieJar,
  canSignIn,
  cookieJar,
  findForm,
  redirectOf,
  signInWithCookies,
} from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import { testWithMails as base } from '../support/test.ts';

/** A test here needs the only owner, and makes another person the owner. */
const test = base.extend('ownSite', true);

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

const isSignedIn = async (jar: CookieJar) => (await jar.get('/account')).status === 200;

/** Submits a form of the account page. */
const send = (jar: CookieJar, form: string, fields: Record<string, string> = {}) =>
  jar.post('/account', { form, ...fields });

const decoded = (page: string) =>
  page.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

test('redirects a visitor to the sign-in page with the way back', async ({ site }) => {
  for (const path of ['/account', '/account/delete']) {
    const answer = await cookieJar(site.url).get(path);
    expect(answer.headers.get('location')).toBe(`/sign-in?${new URLSearchParams({ next: path })}`);
  }
});

test('is not cached, rejects forms from other sites, and ignores messages in its address', async ({
  site,
  newAccount,
}) => {
  const member = await newAccount();
  const jar = await signInWithCookies(site.url, member);
  const answer = await jar.get('/account?done=Your+account+is+in+danger');
  expect(answer.headers.get('cache-control')).toContain('no-store');
  // Lets the browser distinguish a slow site from a slow connection.
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
  expect(await isSignedIn(jar)).toBe(true);
});

describe('display name', () => {
  test('saves the name and confirms it on the page', async ({ site, newAccount }) => {
    const jar = await signInWithCookies(site.url, await newAccount());
    const answer = await send(jar, 'name', { display_name: ' Zoë Ö. ' });
    expect(redirectOf(answer)).toEqual([303, '/account?done=name']);
    const page = await (await jar.get('/account?done=name')).text();
    expect(page).toContain(words.done.name);
    expect(page).toContain('value="Zoë Ö."');
    expect(page).not.toContain('name="bio"');
  });

  test('saves a biography of a writer, and shows an invalid one with its problem', async ({
    site,
    newAccount,
  }) => {
    const member = await newAccount();
    await call(site.service, 'set_role', { person_id: member.id, role: 'reporter' });
    const jar = await signInWithCookies(site.url, member);
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

  test('keeps typed text when the session ended', async ({ site }) => {
    const answer = await send(cookieJar(site.url), 'name', { display_name: 'Ann Lee', bio: 'River.' });
    expect(answer.status).toBe(401);
    const page = await answer.text();
    expect(page).toContain(words.signedOut);
    expect(page).toContain('value="Ann Lee"');
    expect(page).toContain('>River.</textarea>');
    expect(page).toContain('href="/sign-in"');
  });
});

describe('password', () => {
  test('changes with the current password and signs out every other device', async ({ site, newAccount }) => {
    const member = await newAccount();
    const [jar, other] = [
      await signInWithCookies(site.url, member),
      await signInWithCookies(site.url, member),
    ];
    const next = 'another good long one';
    const answer = await send(jar, 'password', { current_password: member.password, new_password: next });
    expect(redirectOf(answer)).toEqual([303, '/account?done=password']);
    expect(await canSignIn(site.url, member)).toBe(false);
    expect(await canSignIn(site.url, { ...member, password: next })).toBe(true);
    expect(await isSignedIn(jar)).toBe(true);
    expect(await isSignedIn(other)).toBe(false);
  });

  test.for([
    [
      'a wrong current password',
      { current_password: 'wrong horse battery' },
      'current_password',
      words.password.wrong,
    ],
    ['no current password', { current_password: '' }, 'current_password', words.password.wrong],
    ['the same password', { new_password: 'correct horse battery' }, 'new_password', words.password.same],
    ['a short password', { new_password: 'short' }, 'new_password', accounts.problems.passwordShort(10)],
  ] as const)(
    'rejects %s without sending any password back',
    async ([, fields, field, problem], { site, newAccount }) => {
      const member = await newAccount();
      const jar = await signInWithCookies(site.url, member);
      const given = { current_password: member.password, new_password: 'another good long one', ...fields };
      const answer = await send(jar, 'password', given);
      expect(answer.status).toBe(422);
      const page = decoded(await answer.text());
      expect(page).toMatch(
        new RegExp(`name="${field}"[^>]*aria-describedby="[^"]*-problem"[^>]*aria-invalid="true"`),
      );
      expect(page).toContain(problem);
      for (const value of Object.values(given)) if (value) expect(page).not.toContain(value);
      expect(await canSignIn(site.url, member)).toBe(true);
    },
  );

  test('answers 429 after ten wrong passwords', async ({ site, newAccount }) => {
    const jar = await signInWithCookies(site.url, await newAccount());
    const guess = { current_password: 'wrong horse battery', new_password: 'another good long one' };
    for (let n = 0; n < 10; n++) expect((await send(jar, 'password', guess)).status).toBe(422);
    const answer = await send(jar, 'password', guess);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(await answer.text()).toContain('Wait 15 minutes');
  });

  test('mails a link for choosing a new password', async ({ site, newAccount, mails }) => {
    const member = await newAccount();
    const jar = await signInWithCookies(site.url, member);
    const answer = await send(jar, 'password_mail');
    expect(answer.headers.get('location')).toBe('/account?done=password_mail');
    const { link } = await mails.next(member.email);
    expect(new URL(link).searchParams.get('type')).toBe('recovery');
  });
});

describe('email address', () => {
  test('changes after the links of both mails are confirmed', async ({ site, newAccount, mails }) => {
    const member = await newAccount();
    const jar = await signInWithCookies(site.url, member);
    const email = `${randomUUID()}@example.com`;
    const answer = await send(jar, 'email', {
      email: email.toUpperCase(),
      current_password: member.password,
    });
    expect(answer.headers.get('location')).toBe('/account?done=mailed');
    expect(await (await jar.get('/account')).text()).toContain(words.email.waiting(email));
    for (const address of [member.email, email]) {
      expect(await canSignIn(site.url, member)).toBe(true);
      const { link } = await mails.next(address);
      const page = await (await jar.get(link.slice(site.url.length))).text();
      const { action, fields } = findForm(page, accounts.link.email_change.press);
      expect((await jar.post(action, fields)).status).toBe(303);
    }
    expect(await canSignIn(site.url, { ...member, email })).toBe(true);
    expect(await canSignIn(site.url, member)).toBe(false);
    expect(await (await jar.get('/account')).text()).toContain(words.email.now(email));
  });

  test.for([
    ['a wrong password', { current_password: 'wrong horse battery' }, words.password.wrong],
    ['an invalid address', { email: 'nobody' }, accounts.problems.email],
  ] as const)('rejects %s and keeps the typed address', async ([, fields, problem], { site, newAccount }) => {
    const member = await newAccount();
    const jar = await signInWithCookies(site.url, member);
    const given = { email: `${randomUUID()}@example.com`, current_password: member.password, ...fields };
    const answer = await send(jar, 'email', given);
    expect(answer.status).toBe(422);
    const page = decoded(await answer.text());
    expect(page).toContain(problem);
    expect(page).toContain(`value="${given.email}"`);
    const { data } = await site.service.auth.admin.getUserById(member.id);
    expect(data.user?.new_email).toBeFalsy();
  });
});

describe('devices', () => {
  test('shows devices by name and signs out one of them, never those of another person', async ({
    site,
    newAccount,
  }) => {
    const [member, stranger] = [await newAccount(), await newAccount()];
    const here = await signInWithCookies(site.url, member, { 'user-agent': FIREFOX });
    const phone = await signInWithCookies(site.url, member, { 'user-agent': IPHONE });
    const page = await (await here.get('/account')).text();
    expect(page.match(/Firefox on Linux|Safari on iPhone/g)).toContain('Firefox on Linux');
    const { fields } = findForm(page, words.devices.end);
    expect(page).toContain(words.devices.endOf('Safari on iPhone'));

    const answer = await (await signInWithCookies(site.url, stranger)).post('/account', fields);
    expect(answer.status).toBe(303);
    expect(await isSignedIn(phone)).toBe(true);

    await here.post('/account', fields);
    expect(await isSignedIn(phone)).toBe(false);
    expect(await isSignedIn(here)).toBe(true);
    const after = await (await here.get('/account')).text();
    expect(after).not.toContain('Safari on iPhone');
    expect((await send(here, 'device', { device: 'no id' })).status).toBe(422);
  });

  test('signs out all devices, including the current one', async ({ site, newAccount }) => {
    const member = await newAccount();
    const [here, phone] = [
      await signInWithCookies(site.url, member),
      await signInWithCookies(site.url, member, { 'user-agent': IPHONE }),
    ];
    const answer = await send(here, 'everywhere');
    expect(redirectOf(answer)).toEqual([303, '/account/signed-out']);
    expect(here.cookies.size).toBe(0);
    expect(await (await here.get('/account/signed-out')).text()).toContain(words.over['signed-out'].say);
    expect(await isSignedIn(phone)).toBe(false);
    expect((await here.get('/account/elsewhere')).status).toBe(404);
  });
});

describe('account deletion', () => {
  test('requires the password, lists the consequences, and signs out every device', async ({
    site,
    newAccount,
  }) => {
    const member = await newAccount();
    const [here, phone] = [
      await signInWithCookies(site.url, member),
      await signInWithCookies(site.url, member, { 'user-agent': IPHONE }),
    ];
    const page = await (await here.get('/account/delete')).text();
    for (const consequence of [...words.deletion.going, ...words.deletion.staying])
      expect(decoded(page)).toContain(consequence);

    const wrong = await here.post('/account/delete', { current_password: 'wrong horse battery' });
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain(words.password.wrong);
    expect(await isSignedIn(here)).toBe(true);

    const answer = await here.post('/account/delete', { current_password: member.password });
    expect(redirectOf(answer)).toEqual([303, '/account/deleted']);
    expect(here.cookies.size).toBe(0);
    expect(await isSignedIn(phone)).toBe(false);
    expect(await canSignIn(site.url, member)).toBe(false);
    const { data } = await site.service
      .from('people')
      .select('active, role, bio')
      .eq('id', member.id)
      .single();
    expect(data).toEqual({ active: false, role: 'reader', bio: '' });
  });

  test('is refused for the only owner with an explanation', async ({ site, newAccount, people }) => {
    const member = await newAccount();
    await call(site.service, 'set_role', { person_id: member.id, role: 'owner' });
    await call(site.service, 'set_role', { person_id: people.owner.id, role: 'editor' });
    const jar = await signInWithCookies(site.url, member);
    const answer = await jar.post('/account/delete', { current_password: member.password });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('The last owner cannot be removed.');
    expect(await isSignedIn(jar)).toBe(true);
  });
});
