import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/accounts.ts';
import {
  type CookieJar,
  cookieJar,
  formIn,
  redirectOf,
  whoIs,
  withoutTimes,
} from '../support/http-client.ts';
import type { MailServer } from '../support/mail.ts';
import type { Account } from '../support/newsroom.ts';
import { testWithMails as test } from '../support/test.ts';

const { byMail, reset: words, problems } = accounts;

/** From the page of a forgotten password to the one where another is chosen, by the code of the mail. */
async function recover(jar: CookieJar, { email }: Account, mails: MailServer): Promise<string> {
  const ask = formIn(await (await jar.get('/reset-password')).text(), byMail.submit);
  const sent = await jar.post(ask.action, { ...ask.fields, email });
  const { action, fields } = formIn(
    await (await jar.get(sent.headers.get('location') ?? '')).text(),
    byMail.press.recovery,
  );
  const { code = '' } = await mails.next(email);
  const answer = await jar.post(action, { ...fields, code });
  expect(redirectOf(answer)).toEqual([303, '/reset-password']);
  return (await jar.get('/reset-password')).text();
}

describe('a forgotten password', () => {
  test('is replaced by whoever reads the mail of the account, and other devices are signed out', async ({
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
    const { action, fields } = formIn(page, words.save);
    const saved = await jar.post(action, { ...fields, password: 'quite another battery' });
    expect(redirectOf(saved)).toEqual([303, '/']);

    expect(await whoIs(jar)).toMatchObject({ id: member.id });
    expect(await whoIs(elsewhere)).toBeNull();
    const { email, password } = member;
    expect((await cookieJar(site.url).post('/sign-in', { email, password })).status).toBe(422);
    const again = await cookieJar(site.url).post('/sign-in', { email, password: 'quite another battery' });
    expect(again.status).toBe(303);
  });

  test('keeps to the rules of passwords, each said at the field', async ({ site, mails, newAccount }) => {
    const member = await newAccount();
    const jar = cookieJar(site.url);
    const { action, fields } = formIn(await recover(jar, member, mails), words.save);
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

  test('is asked about in the same words for an address that nobody has', async ({
    site,
    mails,
    newAccount,
  }) => {
    const { email } = await newAccount();
    const nobody = `${randomUUID()}@example.com`;
    const said = [];
    for (const address of [nobody, email]) {
      const jar = cookieJar(site.url);
      const sent = await jar.post('/auth/code?for=recovery', { email: address });
      const page = await (await jar.get('/auth/code?for=recovery')).text();
      expect(page).toContain(byMail.sent.recovery(address));
      said.push([...redirectOf(sent), withoutTimes(page.replaceAll(address, ''))]);
    }
    expect(said[0]).toEqual(said[1]);
    await mails.next(email);
    expect(mails.delivered.flatMap(({ to }) => to)).not.toContain(nobody);
  });
});

test('a browser that somebody left signed in by password is not enough to choose another', async ({
  site,
  newAccount,
}) => {
  const member = await newAccount();
  const jar = cookieJar(site.url);
  await jar.post('/sign-in', member);
  const page = await (await jar.get('/reset-password')).text();
  expect(page).toContain(byMail.ask.recovery);
  expect(page).toContain('href="/account"');
  expect(formIn(page, byMail.submit).fields.email).toBe(member.email);
  const answer = await jar.post('/reset-password', { password: 'quite another battery' });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain(problems.unproved);
  expect((await cookieJar(site.url).post('/sign-in', member)).status).toBe(303);
});

test('nobody chooses a password for nobody', async ({ site }) => {
  const answer = await cookieJar(site.url).post('/reset-password', { password: 'quite another battery' });
  expect(answer.status).toBe(403);
});
