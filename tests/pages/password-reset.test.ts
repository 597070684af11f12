import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import {
  type CookieJar,
  cookieJar,
  currentPerson,
  findForm,
  redirectOf,
  withoutTimes,
} from '../support/http-client.ts';
import type { MailServer } from '../support/mail.ts';
import type { Account } from '../support/newsroom.ts';
import { testWithMails as test } from '../support/test.ts';

const { byMail, reset: words, problems } = accounts;

/** Goes from the page for a forgotten password to the form for a new one, with the mailed code. */
async function recover(jar: CookieJar, { email }: Account, mails: MailServer): Promise<string> {
  const ask = findForm(await (await jar.get('/reset-password')).text(), byMail.submit);
  const sent = await jar.post(ask.action, { ...ask.fields, email });
  const { action, fields } = findForm(
    await (await jar.get(sent.headers.get('location') ?? '')).text(),
    byMail.press.recovery,
  );
  const { code = '' } = await mails.next(email);
  const answer = await jar.post(action, { ...fields, code });
  expect(redirectOf(answer)).toEqual([303, '/reset-password']);
  return (await jar.get('/reset-password')).text();
}

describe('forgotten password', () => {
  test('is replaced with the mailed code, and other devices are signed out', async ({
    site,
    mails,
    newAccount,
  }) => {
    const member = await newAccount();
    const elsewhere = cookieJar(site.url);
    await elsewhere.post('/sign-in', member);
    const jar = cookieJar(site.url);
    const page = await recover(jar, member, mails);
    expect(page).toMatch(new RegExp(`<input[^>]*value="${member.email}"`));
    expect(page).toMatch(/<input[^>]*autocomplete="username"[^>]*readonly/);
    expect(page).toMatch(/<input[^>]*autocomplete="new-password"/);
    const { action, fields } = findForm(page, words.save);
    const saved = await jar.post(action, { ...fields, password: 'quite another battery' });
    expect(redirectOf(saved)).toEqual([303, '/']);

    expect(await currentPerson(jar)).toMatchObject({ id: member.id });
    expect(await currentPerson(elsewhere)).toBeNull();
    const { email, password } = member;
    expect((await cookieJar(site.url).post('/sign-in', { email, password })).status).toBe(422);
    const again = await cookieJar(site.url).post('/sign-in', { email, password: 'quite another battery' });
    expect(again.status).toBe(303);
  });

  test('rejects an invalid new password at its field', async ({ site, mails, newAccount }) => {
    const member = await newAccount();
    const jar = cookieJar(site.url);
    const { action, fields } = findForm(await recover(jar, member, mails), words.save);
    for (const [password, problem] of [
      ['short', problems.passwordShort(10)],
      [member.email, problems.passwordIsEmail],
      [member.password, problems.samePassword],
    ] as const) {
      const answer = await jar.post(action, { ...fields, password });
      expect(answer.status, password).toBe(422);
      const page = await answer.text();
      expect(page).toContain(problem);
      expect(page).toMatch(/id="password"[^>]*aria-describedby="password-help password-problem"/);
      expect(page).not.toMatch(new RegExp(`name="password"[^>]*value="${password}"`));
    }
    expect((await cookieJar(site.url).post('/sign-in', member)).status).toBe(303);
  });

  test('answers the same for an unknown address, and sends no mail to it', async ({
    site,
    mails,
    newAccount,
  }) => {
    const { email } = await newAccount();
    const unknown = `${randomUUID()}@example.com`;
    const responses = [];
    for (const address of [unknown, email]) {
      const jar = cookieJar(site.url);
      const sent = await jar.post('/auth/code?for=recovery', { email: address });
      const page = await (await jar.get('/auth/code?for=recovery')).text();
      expect(page).toContain(byMail.sent.recovery(address));
      responses.push([...redirectOf(sent), withoutTimes(page.replaceAll(address, ''))]);
    }
    expect(responses[0]).toEqual(responses[1]);
    await mails.next(email);
    expect(mails.delivered.flatMap(({ to }) => to)).not.toContain(unknown);
  });
});

test('requires the mailed code even in a signed-in browser', async ({ site, newAccount }) => {
  const member = await newAccount();
  const jar = cookieJar(site.url);
  await jar.post('/sign-in', member);
  const page = await (await jar.get('/reset-password')).text();
  expect(page).toContain(byMail.ask.recovery);
  expect(page).toContain('href="/account"');
  expect(findForm(page, byMail.submit).fields.email).toBe(member.email);
  const answer = await jar.post('/reset-password', { password: 'quite another battery' });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain(problems.unproved);
  expect((await cookieJar(site.url).post('/sign-in', member)).status).toBe(303);
});

test('rejects a new password from a visitor', async ({ site }) => {
  const answer = await cookieJar(site.url).post('/reset-password', { password: 'quite another battery' });
  expect(answer.status).toBe(403);
});
