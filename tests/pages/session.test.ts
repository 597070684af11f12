import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/accounts.ts';
import { anonClient, signUp } from '../support/backend.ts';
import { type CookieJar, cookieJar, whoIs } from '../support/http-client.ts';
import { test } from '../support/test.ts';

const SESSION = 'stoppress-session';
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** The session as its cookie holds it: in parts when it is long. */
function sessionIn({ cookies }: CookieJar): { refresh_token: string; expires_at: number } {
  const parts = [...cookies]
    .filter(([name]) => name.startsWith(SESSION))
    .toSorted(([a], [b]) => a.localeCompare(b));
  const encoded = parts
    .map(([, value]) => value)
    .join('')
    .replace(/^base64-/, '');
  return JSON.parse(Buffer.from(encoded, 'base64url').toString());
}

/** A page without the time at which it was made, which two requests may see change. */
const withoutTimes = (html: string | undefined) => html?.replace(/\d{2}:\d{2}:\d{2}/g, '');

describe('signing in', () => {
  test('begins a session in a cookie that no script can read, and goes on to where one was', async ({
    site,
    people,
  }) => {
    const { email, password, id } = people.reporter;
    const jar = cookieJar(site.url);
    const answer = await jar.post('/sign-in?next=%2Fdesk%2Fstorm', { email, password });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/desk/storm');
    const cookies = answer.headers.getSetCookie();
    expect(cookies).not.toEqual([]);
    for (const cookie of cookies) {
      expect(cookie).toMatch(new RegExp(`^${SESSION}(\\.\\d)?=`));
      for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(flag);
      expect(cookie).not.toContain('Secure');
    }
    expect(answer.headers.get('cache-control')).toContain('no-store');

    expect(await whoIs(jar)).toEqual(expect.objectContaining({ id, role: 'reporter' }));
  });

  test('without a place to go on to, staff go to the desk and readers to the front page', async ({
    site,
    people,
  }) => {
    for (const [role, path] of [
      ['editor', '/desk'],
      ['reader', '/'],
    ] as const) {
      const { email, password } = people[role];
      const answer = await cookieJar(site.url).post('/sign-in?next=//evil.example', { email, password });
      expect(answer.headers.get('location')).toBe(path);
    }
  });

  test('a wrong password and an unknown account read the same, keep the address and give no session', async ({
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

  test('what is missing is said at its field', async ({ site }) => {
    const page = await (await cookieJar(site.url).post('/sign-in', { email: 'nobody' })).text();
    expect(page).toContain(accounts.problems.email);
    expect(page).toContain(accounts.problems.password);
    expect(page).toMatch(/id="email"[^>]*aria-describedby="email-problem"/);
  });

  test('after ten failures it says how long to wait, for that account from that address alone', async ({
    site,
    people,
  }) => {
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

  test('from another site it is refused', async ({ site, people }) => {
    const { email, password } = people.reporter;
    const answer = await cookieJar(site.url).post(
      '/sign-in',
      { email, password },
      { origin: 'https://evil.example' },
    );
    expect(answer.status).toBe(403);
  });

  test('a closed account is told so and has no session', async ({ site, people }) => {
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

describe('signing up', () => {
  test('makes a reader under the name that was given, and signs them in', async ({ site }) => {
    const jar = cookieJar(site.url);
    const email = `${randomUUID()}@example.com`;
    const answer = await jar.post('/sign-up', { name: 'Zoë Ö.', email, password: 'a good long one' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await whoIs(jar)).toMatchObject({ display_name: 'Zoë Ö.', role: 'reader' });
  });

  test.for([
    ['a short password', { password: 'too short' }, accounts.problems.passwordShort(10)],
    ['the address as password', { password: 'ann@example.com' }, accounts.problems.passwordIsEmail],
    ['no name', { name: ' ' }, accounts.problems.name(60)],
  ] as const)(
    '%s is refused, with what was typed but the password',
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

  test('an address that has an account is refused at its field', async ({ site, people }) => {
    const fields = { name: 'Ann', email: people.reader.email, password: 'a good long one' };
    const answer = await cookieJar(site.url).post('/sign-up', fields);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(accounts.problems.taken);
  });
});

describe('a newsroom that sends no mail', () => {
  test.for(['sign-in', 'recovery', 'sign-up'])(
    'says so to whoever asks for one (%s), and keeps the address',
    async (way, { site, people }) => {
      const { email } = people.reader;
      const answer = await cookieJar(site.url).post(`/auth/code?for=${way}`, { email });
      expect(answer.status).toBe(409);
      const page = await answer.text();
      expect(page).toContain(accounts.problems.noMail);
      expect(page).toContain(`value="${email}"`);
    },
  );
});

describe('a session', () => {
  test('gives islands a short-lived token, of this site and for its own pages only', async ({
    site,
    people,
  }) => {
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

  test('ends where it is signed out, by POST alone, and its refresh token with it', async ({
    site,
    people,
  }) => {
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

  test('is refreshed before the page when its token is about to end', async ({ site, people }) => {
    const jar = cookieJar(site.url);
    await jar.post('/sign-in', { email: people.editor.email, password: people.editor.password });
    const ended = { ...sessionIn(jar), expires_at: Math.floor(Date.now() / 1000) - 10 };
    jar.cookies.clear();
    jar.cookies.set(SESSION, `base64-${Buffer.from(JSON.stringify(ended)).toString('base64url')}`);
    const answer = await jar.get('/desk');
    expect(answer.status).toBe(200);
    expect(sessionIn(jar).refresh_token).not.toBe(ended.refresh_token);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect((await jar.get('/desk')).status).toBe(200);
  });

  test.for(['rubbish', 'base64-rubbish', 'base64-e30', '%'])(
    'a cookie of %s is nobody',
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

  test('means nothing on a public page, which neither reads nor writes a cookie', async ({
    site,
    people,
    newsroom,
  }) => {
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
