import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { anonClient, signUp } from '../support/backend.ts';
import { type CookieJar, cookieJar, currentPerson, signInWithCookies } from '../support/http-client.ts';
import { test } from '../support/test.ts';

const SESSION = 'stoppress-session';
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** The session from its cookie, which is split when it is long. */
function sessionIn({ cookies }: CookieJar): {
  access_token: string;
  refresh_token: string;
  expires_at: number;
} {
  const parts = [...cookies]
    .filter(([name]) => name.startsWith(SESSION))
    .toSorted(([a], [b]) => a.localeCompare(b));
  const encoded = parts
    .map(([, value]) => value)
    .join('')
    .replace(/^base64-/, '');
  return JSON.parse(Buffer.from(encoded, 'base64url').toString());
}

/** The page without times of rendering, which differ between two requests. */
const withoutTimes = (html: string | undefined) => html?.replace(/\d{2}:\d{2}:\d{2}/g, '');

describe('sign-in', () => {
  test('sets a session cookie that scripts cannot read, and returns to the requested page', async ({
    site,
    people,
  }) => {
    const { email, password, id } = people.reporter;
    const jar = cookieJar(site.url);
    const answer = await jar.post('/sign-in?next=%2Fdesk%2Fstorm', { email, password });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/desk/storm');
    const [marker, ...others] = answer.headers.getSetCookie().toReversed();
    expect(marker).toMatch(/^signed-in=1; Max-Age=\d+; Path=\/; SameSite=Lax$/);
    const cookies = others;
    expect(cookies).not.toEqual([]);
    for (const cookie of cookies) {
      expect(cookie).toMatch(new RegExp(`^${SESSION}(\\.\\d)?=`));
      for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(flag);
      expect(cookie).not.toContain('Secure');
    }
    expect(answer.headers.get('cache-control')).toContain('no-store');

    expect(await currentPerson(jar)).toEqual(expect.objectContaining({ id, role: 'reporter' }));
  });

  test('sends staff to the desk and readers to the front page by default', async ({ site, people }) => {
    for (const [role, path] of [
      ['editor', '/desk'],
      ['reader', '/'],
    ] as const) {
      const { email, password } = people[role];
      const answer = await cookieJar(site.url).post('/sign-in?next=//evil.example', { email, password });
      expect(answer.headers.get('location')).toBe(path);
    }
  });

  test('answers the same for a wrong password and an unknown account, and keeps the address', async ({
    site,
    people,
  }) => {
    const pages = [];
    for (const email of [people.reporter.email, `${randomUUID()}@example.com`]) {
      const jar = cookieJar(site.url);
      const answer = await jar.post('/sign-in', { email, password: 'wrong horse battery' });
      expect(answer.status).toBe(422);
      expect(jar.cookies.size).toBe(0);
      const page = await answer.text();
      expect(page).toContain(`value="${email}"`);
      expect(page).not.toContain('wrong horse battery');
      pages.push(page.replaceAll(email, '').replace(/<footer.*<\/footer>/s, ''));
    }
    expect(pages[0]).toContain(accounts.problems.credentials);
    expect(withoutTimes(pages[0])).toBe(withoutTimes(pages[1]));
  });

  test('shows missing values at their fields', async ({ site }) => {
    const page = await (await cookieJar(site.url).post('/sign-in', { email: 'nobody' })).text();
    expect(page).toContain(accounts.problems.email);
    expect(page).toContain(accounts.problems.password);
    expect(page).toMatch(/id="email"[^>]*aria-describedby="email-problem"/);
  });

  test('answers 429 after ten failures for this account only', async ({ site, people }) => {
    const jar = cookieJar(site.url);
    const { email, password } = people.moderator;
    for (let n = 0; n < 10; n++) await jar.post('/sign-in', { email, password: 'wrong horse battery' });
    const answer = await jar.post('/sign-in', { email, password });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(await answer.text()).toContain('Wait 15 minutes');
    const other = await cookieJar(site.url).post('/sign-in', {
      email: people.editor.email,
      password: people.editor.password,
    });
    expect(other.status).toBe(303);
  });

  test('rejects a sign-in from another site', async ({ site, people }) => {
    const { email, password } = people.reporter;
    const answer = await cookieJar(site.url).post(
      '/sign-in',
      { email, password },
      { origin: 'https://evil.example' },
    );
    expect(answer.status).toBe(403);
  });

  test('explains that an account is closed, and sets no session', async ({ site, people }) => {
    const email = `${randomUUID()}@example.com`;
    const { user } = await signUp(site, { email });
    await people.owner.client.rpc('set_active', {
      idempotency_key: randomUUID(),
      person_id: user.id,
      active: false,
    });
    const jar = cookieJar(site.url);
    const answer = await jar.post('/sign-in', { email, password: 'correct horse battery' });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain(accounts.problems.closed);
    expect(jar.cookies.size).toBe(0);
  });
});

describe('sign-up', () => {
  test('creates a reader with the given name and signs them in', async ({ site }) => {
    const jar = cookieJar(site.url);
    const email = `${randomUUID()}@example.com`;
    const answer = await jar.post('/sign-up', { name: 'Zoë Ö.', email, password: 'a good long one' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await currentPerson(jar)).toMatchObject({ display_name: 'Zoë Ö.', role: 'reader' });
  });

  test.for([
    ['a short password', { password: 'too short' }, accounts.problems.passwordShort(10)],
    ['the address as password', { password: 'ann@example.com' }, accounts.problems.passwordIsEmail],
    ['no name', { name: ' ' }, accounts.problems.name(60)],
  ] as const)(
    'rejects %s and keeps the typed text except the password',
    async ([, fields, problem], { site }) => {
      const jar = cookieJar(site.url);
      const given = { name: 'Ann', email: 'ann@example.com', password: 'a good long one', ...fields };
      const answer = await jar.post('/sign-up', given);
      expect(answer.status).toBe(422);
      const page = await answer.text();
      expect(page).toContain(problem);
      expect(page).toContain('value="ann@example.com"');
      expect(page).not.toContain(`value="${given.password}" `);
      expect(jar.cookies.size).toBe(0);
    },
  );

  test('shows at its field that an address already has an account', async ({ site, people }) => {
    const fields = { name: 'Ann', email: people.reader.email, password: 'a good long one' };
    const answer = await cookieJar(site.url).post('/sign-up', fields);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(accounts.problems.emailInUse);
  });
});

describe('newsroom without a mail server', () => {
  test.for(['sign-in', 'recovery', 'sign-up'])(
    'explains that it cannot send a mail (%s), and keeps the address',
    async (purpose, { site, people }) => {
      const { email } = people.reader;
      const answer = await cookieJar(site.url).post(`/auth/code?for=${purpose}`, { email });
      expect(answer.status).toBe(409);
      const page = await answer.text();
      expect(page).toContain(accounts.problems.noMail);
      expect(page).toContain(`value="${email}"`);
    },
  );
});

describe('session', () => {
  test("gives a short-lived token to this site's own pages only", async ({ site, people }) => {
    const jar = cookieJar(site.url);
    const visitor = await jar.post('/api/token', {}, sameOrigin);
    expect(visitor.status).toBe(401);
    expect(await visitor.json()).toMatchObject({ error: { code: 'signed_out' } });

    await jar.post('/sign-in', { email: people.editor.email, password: people.editor.password });
    const answer = await jar.post('/api/token', {}, sameOrigin);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const { access_token, expires_at, ...more } = (await answer.json()) as {
      access_token: string;
      expires_at: number;
    };
    expect(more).toEqual({});
    const claims = decodeJwt(access_token);
    expect(claims.sub).toBe(people.editor.id);
    expect(claims.exp).toBe(expires_at);
    expect(expires_at - Date.now() / 1000).toBeLessThanOrEqual(3600);

    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      expect((await jar.post('/api/token', {}, headers)).status).toBe(403);
    }
    expect((await jar.get('/api/token', sameOrigin)).status).toBe(405);
    expect((await jar.get('/api/me', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('ends on sign-out by POST, together with its refresh token', async ({ site, people }) => {
    const jar = cookieJar(site.url);
    await jar.post('/sign-in', { email: people.editor.email, password: people.editor.password });
    const { refresh_token } = sessionIn(jar);
    const { size } = jar.cookies;
    expect((await jar.get('/auth/sign-out')).status).toBe(405);
    expect(jar.cookies.size).toBe(size);

    const answer = await jar.post('/auth/sign-out');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(jar.cookies.size).toBe(0);
    const { error } = await anonClient(site).auth.refreshSession({ refresh_token });
    expect(error).not.toBeNull();
  });

  test('that ended elsewhere leaves a visitor, who can open invitations', async ({ site, newAccount }) => {
    const jar = await signInWithCookies(site.url, await newAccount());
    await anonClient(site).auth.admin.signOut(sessionIn(jar).access_token);
    // 404: there is no such invitation.
    expect((await jar.get(`/invites/${'a'.repeat(43)}`)).status).toBe(404);
    expect(jar.cookies.size).toBe(0);
  });

  test('is refreshed when its token is about to expire', async ({ site, people }) => {
    const jar = cookieJar(site.url);
    await jar.post('/sign-in', { email: people.editor.email, password: people.editor.password });
    const expired = { ...sessionIn(jar), expires_at: Math.floor(Date.now() / 1000) - 10 };
    jar.cookies.clear();
    jar.cookies.set(SESSION, `base64-${Buffer.from(JSON.stringify(expired)).toString('base64url')}`);
    const answer = await jar.get('/desk');
    expect(answer.status).toBe(200);
    expect(sessionIn(jar).refresh_token).not.toBe(expired.refresh_token);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect((await jar.get('/desk')).status).toBe(200);
  });

  test.for(['rubbish', 'base64-rubbish', 'base64-e30', '%'])(
    'ignores an invalid cookie: %s',
    async (value, { site }) => {
      const jar = cookieJar(site.url);
      jar.cookies.set(SESSION, value);
      const answer = await jar.get('/desk?page=2');
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        '/sign-in?next=%2Fdesk%3Fpage%3D2',
      ]);
    },
  );

  test('does not affect public pages', async ({ site, people, newsroom }) => {
    const jar = cookieJar(site.url);
    await jar.post('/sign-in', { email: people.editor.email, password: people.editor.password });
    for (const path of ['/', `/live/${newsroom.coverage.slug}`]) {
      const answer = await jar.get(path);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(answer.headers.get('cache-control')).toMatch(/^max-age=0/);
      expect(await answer.text()).not.toContain(people.editor.id);
    }
  });
});
