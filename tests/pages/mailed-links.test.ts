import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { anonClient } from '../support/backend.ts';
import { type CookieJar, cookieJar, currentPerson, findForm, redirectOf } from '../support/http-client.ts';
import type { ParsedMail } from '../support/mail.ts';
import type { Account } from '../support/newsroom.ts';
import { testWithMails as test } from '../support/test.ts';

const { link: words } = accounts;

/** Path and query of a link, as a browser requests them. */
const pathOf = (link: string) => link.slice(new URL(link).origin.length);

/** Opens the link of a mail and presses the button of its page. */
async function follow(jar: CookieJar, { link }: Pick<ParsedMail, 'link'>, button: string): Promise<Response> {
  const { action, fields } = findForm(await (await jar.get(pathOf(link))).text(), button);
  return jar.post(action, fields);
}

const askToSignIn = (jar: CookieJar, { email }: Pick<Account, 'email'>, next = '') =>
  jar.post(`/auth/code?for=sign-in${next && `&next=${encodeURIComponent(next)}`}`, { email });

describe('mailed link', () => {
  test('signs in by its button, once, however often it was opened before', async ({
    site,
    mails,
    newAccount,
  }) => {
    const member = await newAccount();
    await askToSignIn(cookieJar(site.url), member, '/desk/storm?filter=draft');
    const { link } = await mails.next(member.email);

    const jar = cookieJar(site.url);
    const opened = [await fetch(site.url + pathOf(link), { method: 'HEAD' })];
    for (let times = 0; times < 3; times++) opened.push(await jar.get(pathOf(link)));
    for (const { status, headers } of opened) {
      expect(status).toBe(200);
      expect(headers.getSetCookie()).toEqual([]);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('strict-origin');
    }
    expect(await opened[1]?.text()).toContain('<meta name="robots" content="noindex">');

    const answer = await follow(jar, { link }, words.email.press);
    expect(redirectOf(answer)).toEqual([303, '/desk/storm?filter=draft']);
    expect(await currentPerson(jar)).toMatchObject({ id: member.id });

    const late = cookieJar(site.url);
    const again = await follow(late, { link }, words.email.press);
    expect(again.status).toBe(410);
    expect(late.cookies.size).toBe(0);
    const page = await again.text();
    expect(page).toContain(words.dead.title);
    const { action, fields } = findForm(page, words.dead.submit);
    expect(fields.email).toBe('');
    expect(page).not.toContain(new URL(link).searchParams.get('token_hash'));
    const more = await late.post(action, { ...fields, email: 'somebody@example.com' });
    expect(more.status).toBe(303);
  });

  test('rejects a destination and a form of another site', async ({ site, mails, newAccount }) => {
    const member = await newAccount();
    await askToSignIn(cookieJar(site.url), member);
    const { link } = await mails.next(member.email);
    const { action, fields } = findForm(
      await (await cookieJar(site.url).get(pathOf(link))).text(),
      words.email.press,
    );
    for (const origin of ['https://evil.example', 'null']) {
      expect((await cookieJar(site.url).post(action, fields, { origin })).status).toBe(403);
    }
    const jar = cookieJar(site.url);
    const answer = await jar.post(action, { ...fields, next: 'https://evil.example/' });
    expect(redirectOf(answer)).toEqual([303, '/']);
  });

  test('expires when a newer link is sent', async ({ site, mails, newAccount }) => {
    const member = await newAccount();
    await askToSignIn(cookieJar(site.url), member);
    const first = await mails.next(member.email);
    const { data } = await site.service.auth.admin.generateLink({ type: 'magiclink', email: member.email });
    const second = { link: data.properties?.action_link ?? '' };
    expect((await follow(cookieJar(site.url), first, words.email.press)).status).toBe(410);
    expect((await follow(cookieJar(site.url), second, words.email.press)).status).toBe(303);
  });

  test('does not sign in to a closed account', async ({ site, mails, newAccount }) => {
    const member = await newAccount();
    await askToSignIn(cookieJar(site.url), member);
    const mail = await mails.next(member.email);
    await site.service.auth.admin.updateUserById(member.id, { ban_duration: '24h' });
    const jar = cookieJar(site.url);
    const answer = await follow(jar, mail, words.email.press);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain(accounts.problems.closed);
    expect(jar.cookies.size).toBe(0);
  });

  test('replaces the session of the browser and ends the old one', async ({ site, mails, newAccount }) => {
    const [before, after] = [await newAccount(), await newAccount()];
    const jar = cookieJar(site.url);
    await jar.post('/sign-in', before);
    const oldCookies = new Map(jar.cookies);
    await askToSignIn(jar, after);
    const mail = await mails.next(after.email);
    const page = await (await jar.get(pathOf(mail.link))).text();
    expect(page).toContain(words.takesPlace(String((await currentPerson(jar))?.display_name)));
    await follow(jar, mail, words.email.press);
    expect(await currentPerson(jar)).toMatchObject({ id: after.id });

    const old = cookieJar(site.url);
    for (const [name, value] of oldCookies) old.cookies.set(name, value);
    expect(await currentPerson(old)).toBeNull();
  });

  test.for([
    ['a shortened link', '?type=email&token_hash=a1b2'],
    ['a link without a type', `?token_hash=${'a1b2'.repeat(14)}`],
    ['a link of an unknown type', `?type=sms&token_hash=${'a1b2'.repeat(14)}`],
    ['a link without parameters', ''],
  ] as const)('explains that %s is broken, and offers another', async ([, query], { site }) => {
    const answer = await cookieJar(site.url).get(`/auth/confirm${query}`);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain(words.broken.title);
    expect(findForm(page, words.dead.submit).fields.email).toBe('');
  });

  test('rejects a link that was never sent like an expired one', async ({ site }) => {
    const link = `${site.url}/auth/confirm?type=recovery&token_hash=${'a1b2'.repeat(14)}`;
    const answer = await follow(cookieJar(site.url), { link }, words.recovery.press);
    expect(answer.status).toBe(410);
    expect(await answer.text()).toContain('action="/auth/code?for=recovery"');
  });
});

test('opens the account of an invitation and asks for a password first', async ({ site, mails }) => {
  const email = `${randomUUID()}@example.com`;
  const { error } = await site.service.auth.admin.inviteUserByEmail(email, { data: { display_name: 'Ivy' } });
  expect(error).toBeNull();
  const jar = cookieJar(site.url);
  const answer = await follow(jar, await mails.next(email), words.invite.press);
  expect(redirectOf(answer)).toEqual([303, '/reset-password']);
  expect(await currentPerson(jar)).toMatchObject({ display_name: 'Ivy' });

  const page = await (await jar.get('/reset-password')).text();
  const { action, fields } = findForm(page, accounts.reset.save);
  expect(fields.email).toBe(email);
  const saved = await jar.post(action, { ...fields, password: 'a battery of my own' });
  expect(redirectOf(saved)).toEqual([303, '/']);
  const other = cookieJar(site.url);
  expect((await other.post('/sign-in', { email, password: 'a battery of my own' })).status).toBe(303);
});

test('changes an address when both addresses have confirmed it', async ({ site, mails, newAccount }) => {
  const member = await newAccount();
  const newEmail = `${randomUUID()}@example.com`;
  const client = anonClient(site);
  await client.auth.signInWithPassword(member);
  const { error } = await client.auth.updateUser({ email: newEmail });
  expect(error).toBeNull();
  const [current, next] = [await mails.next(member.email), await mails.next(newEmail)];

  const jar = cookieJar(site.url);
  const half = await follow(jar, next, words.email_change.press);
  expect(half.status).toBe(303);
  expect(await (await jar.get(half.headers.get('location') ?? '')).text()).toContain(words.half.title);
  expect(jar.cookies.size).toBe(0);

  const whole = await follow(jar, current, words.email_change.press);
  expect(redirectOf(whole)).toEqual([303, '/account?done=email']);
  const { data } = await site.service.auth.admin.getUserById(member.id);
  expect(data.user?.email).toBe(newEmail);
});
