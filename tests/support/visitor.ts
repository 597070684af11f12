import { expect } from 'vitest';
import { type CookieJar, cookieJar } from './cookies.ts';
import type { Member } from './newsroom.ts';

type Account = Pick<Member, 'email' | 'password'>;

/** A browser in which somebody has signed in by the form. @param site its address */
export async function signedIn(
  site: string,
  { email, password }: Account,
  headers?: Record<string, string>,
): Promise<CookieJar> {
  const jar = cookieJar(site);
  expect((await jar.post('/sign-in', { email, password }, headers)).status).toBe(303);
  return jar;
}

/** Whether an account lets somebody in with this password. */
export async function signsIn(site: string, { email, password }: Account): Promise<boolean> {
  return (await cookieJar(site).post('/sign-in', { email, password })).status === 303;
}

/** Whom the site takes a browser for. */
export async function whoIs(jar: CookieJar): Promise<Record<string, unknown> | null> {
  const answer = await jar.get('/api/me', { 'sec-fetch-site': 'same-origin' });
  return ((await answer.json()) as { person: Record<string, unknown> | null }).person;
}

/** The status of an answer, and where it leads. */
export const leadsTo = (answer: Response) => [answer.status, answer.headers.get('location')];

/** What a page says, without the times that it prints. */
export const timeless = (page: string) => page.replaceAll(/<time.*?<\/time>|\d\d:\d\d/gs, '');
