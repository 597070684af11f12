import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { cookieJar, currentPerson, findForm, redirectOf, withoutTimes } from '../support/http-client.ts';
import { testWithMails as test } from '../support/test.ts';

const { byMail: words, problems } = accounts;
const CODE = '/auth/code?for=sign-in';

const wrongOf = (code: string) => String((Number(code) + 1) % 10 ** 8).padStart(8, '0');

describe('sign-in by code', () => {
  test('signs in once with the mailed code and returns to the requested page', async ({
    site,
    mails,
    newAccount,
  }) => {
    const { id, email } = await newAccount();
    const jar = cookieJar(site.url);
    const sent = await jar.post(`${CODE}&next=%2Fdesk%2Fstorm`, { email });
    expect(redirectOf(sent)).toEqual([303, `${CODE}&next=%2Fdesk%2Fstorm`]);
    expect(sent.headers.getSetCookie().join()).toMatch(
      /^stoppress-mailed=[^;]+; Max-Age=3600; Path=\/auth\/code; /,
    );
    expect(sent.headers.getSetCookie().join()).toMatch(/HttpOnly; SameSite=Lax$/);
    const page = await (await jar.get(`${CODE}&next=%2Fdesk%2Fstorm`)).text();
    expect(page).toContain(words.sent['sign-in'](email));
    expect(page).toMatch(/<input[^>]*inputmode="numeric"[^>]*autocomplete="one-time-code"/);
    const { action, fields } = findForm(page, words.press['sign-in']);

    const { code = '' } = await mails.next(email);
    const wrong = await jar.post(action, { ...fields, code: wrongOf(code) });
    expect(wrong.status).toBe(422);
    const refused = await wrong.text();
    expect(refused).toContain(problems.codeWrong);
    expect(refused).toMatch(/id="code"[^>]*aria-describedby="code-help code-problem"/);
    expect(refused).toContain(`<title>${accounts.titleOfProblem(words.title)}`);
    expect(findForm(refused, words.press['sign-in']).fields.email).toBe(email);

    const typed = ` ${code.slice(0, 4)} ${code.slice(4)}`;
    const answer = await jar.post(action, { ...fields, code: typed });
    expect(redirectOf(answer)).toEqual([303, '/desk/storm']);
    expect(await currentPerson(jar)).toMatchObject({ id });
    expect([...jar.cookies.keys()]).not.toContain('stoppress-mailed');

    const late = cookieJar(site.url);
    expect((await late.post(action, { ...fields, code })).status).toBe(422);
    expect(late.cookies.size).toBe(0);
  });

  test('answers the same for known and unknown addresses, and mails known ones only', async ({
    site,
    mails,
    newAccount,
  }) => {
    const { email } = await newAccount();
    const unknown = `${randomUUID()}@example.com`;
    const responses = [];
    for (const address of [unknown, email]) {
      const jar = cookieJar(site.url);
      const sent = await jar.post(CODE, { email: address });
      const page = await (await jar.get(CODE)).text();
      const tried = await jar.post(CODE, { act: 'code', email: address, code: '12345678' });
      const pages = [page, await tried.text()].map((one) => withoutTimes(one.replaceAll(address, '')));
      responses.push([...redirectOf(sent), tried.status, ...pages]);
    }
    expect(responses[0]).toEqual(responses[1]);
    await mails.next(email);
    expect(mails.delivered.flatMap(({ to }) => to)).not.toContain(unknown);
  });

  test('sends another mail after a minute at the earliest, and none on a reload', async ({
    site,
    mails,
    newAccount,
  }) => {
    const { email } = await newAccount();
    const jar = cookieJar(site.url);
    await jar.post(CODE, { email });
    await mails.next(email);
    const { action, fields } = findForm(await (await jar.get(CODE)).text(), words.again);
    const again = await jar.post(action, fields);
    expect(again.status).toBe(429);
    const wait = Number(again.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(30);
    expect(wait).toBeLessThanOrEqual(60);
    const page = await again.text();
    expect(page).toContain(problems.mailSoon(wait));
    expect(findForm(page, words.press['sign-in']).fields.email).toBe(email);

    // A person who went back or uses another browser needs the form for the mail that is already under way.
    for (const browser of [jar, cookieJar(site.url)]) {
      expect(redirectOf(await browser.post(CODE, { email }))).toEqual([303, CODE]);
      expect(await (await browser.get(CODE)).text()).toContain(words.sent['sign-in'](email));
    }
    expect(mails.delivered.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });

  test('answers 429 after ten wrong codes for an address from one client', async ({
    site,
    mails,
    newAccount,
  }) => {
    const { email } = await newAccount();
    const jar = cookieJar(site.url);
    await jar.post(CODE, { email });
    const { code = '' } = await mails.next(email);
    for (let times = 0; times < 10; times++) {
      expect((await jar.post(CODE, { act: 'code', email, code: wrongOf(code) })).status).toBe(422);
    }
    const answer = await jar.post(CODE, { act: 'code', email, code });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(await answer.text()).toContain('Wait 15 minutes');
  });

  test('shows an invalid address or code at its field', async ({ site }) => {
    const jar = cookieJar(site.url);
    const address = await jar.post(CODE, { email: 'nobody', password: '' });
    expect(address.status).toBe(422);
    const page = await address.text();
    expect(page).toContain(problems.email);
    expect(page).toMatch(/id="email"[^>]*value="nobody"/);
    const code = await jar.post(CODE, { act: 'code', email: 'ann@example.com', code: 'abc' });
    expect(code.status).toBe(422);
    expect(await code.text()).toContain(problems.code);
  });

  test('ignores forged cookies', async ({ site }) => {
    const forged = [
      'rubbish',
      '%',
      encodeURIComponent('{"flow":"sign-in","email":"<b>","at":1}'),
      encodeURIComponent('{"flow":"sign-in","email":"ann@example.com","at":"1"}'),
      encodeURIComponent('null'),
    ];
    for (const value of forged) {
      const answer = await cookieJar(site.url).get(CODE, { cookie: `stoppress-mailed=${value}` });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(words.ask['sign-in']);
    }
  });
});

describe('sign-up by code', () => {
  const fields = () => ({
    name: 'Zoë Ö.',
    email: `${randomUUID()}@example.com`,
    password: 'a good long one',
  });

  test('confirms the account with the mailed code', async ({ site, mails }) => {
    const given = fields();
    const jar = cookieJar(site.url);
    const sent = await jar.post('/sign-up?next=%2Fdesk%2Fstorm', given);
    expect(redirectOf(sent)).toEqual([303, '/auth/code?for=sign-up&next=%2Fdesk%2Fstorm']);
    // The account and then its mail are created after the response.
    const { code = '' } = await mails.next(given.email);
    const early = await cookieJar(site.url).post('/sign-in', given);
    expect(early.status).toBe(422);
    expect(await early.text()).toContain(problems.unconfirmed);

    const page = await (await jar.get(sent.headers.get('location') ?? '')).text();
    expect(page).toContain(words.sent['sign-up'](given.email));
    const form = findForm(page, words.press['sign-up']);
    const answer = await jar.post(form.action, { ...form.fields, code });
    expect(redirectOf(answer)).toEqual([303, '/desk/storm']);
    expect(await currentPerson(jar)).toMatchObject({ display_name: 'Zoë Ö.', role: 'reader' });
    expect((await cookieJar(site.url).post('/sign-in', given)).status).toBe(303);
  });

  test('answers the same for an address that has an account, and sends no mail to it', async ({
    site,
    mails,
    newAccount,
  }) => {
    const known = await newAccount();
    const responses = [];
    const unknown = fields().email;
    for (const email of [known.email, unknown]) {
      const jar = cookieJar(site.url);
      const sent = await jar.post('/sign-up', { ...fields(), email });
      const page = await (await jar.get('/auth/code?for=sign-up')).text();
      responses.push([...redirectOf(sent), withoutTimes(page.replaceAll(email, ''))]);
    }
    expect(responses[0]).toEqual(responses[1]);
    // Mails are sent after the response, in order: when the later one has arrived, so would the earlier one.
    await mails.next(unknown);
    expect(mails.delivered.flatMap(({ to }) => to)).not.toContain(known.email);
    expect((await cookieJar(site.url).post('/sign-in', known)).status).toBe(303);
  });
});
