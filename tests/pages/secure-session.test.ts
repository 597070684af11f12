import { expect } from 'vitest';
import { cookieJar } from '../support/http-client.ts';
import { test as base } from '../support/test.ts';

const PUBLIC_URL = 'https://news.example';
const test = base.extend('environment', { SITE_URL: PUBLIC_URL });

test('marks the session cookie as secure when the public address uses HTTPS', async ({ site, people }) => {
  const { email, password } = people.reader;
  const answer = await cookieJar(site.url).post('/sign-in', { email, password }, { origin: PUBLIC_URL });
  expect(answer.status).toBe(303);
  const cookies = answer.headers.getSetCookie();
  expect(cookies).not.toEqual([]);
  for (const cookie of cookies) expect(cookie).toContain('Secure');
});
