import type { EmailOtpType } from '@supabase/supabase-js';
import type { Page } from 'playwright-core';
import { anonClient } from './backend.ts';
import type { Person } from './newsroom.ts';

/** The part of a page that signing in needs. Playwright and the other engines have it. */
type SignInPage = {
  goto(path: string): Promise<unknown>;
  getByLabel(label: string): { fill(text: string): Promise<void> };
  getByRole(role: 'button', options: { name: string }): { click(): Promise<void> };
  waitForURL(matches: (url: URL) => boolean): Promise<void>;
};

/** Signs a person in with the form. */
export async function signIn(
  page: SignInPage,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** Signs a person in as the form does, without opening its page. */
export async function signInWithoutForm(
  { request }: Pick<Page, 'request'>,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  const { origin } = new URL((await request.get('/healthz')).url());
  const form = { email, password };
  const answer = await request.post('/sign-in', { form, headers: { origin }, maxRedirects: 0 });
  if (answer.status() !== 303) throw new Error(`${email} could not sign in: ${answer.status()}`);
}

/**
 * Confirms a mailed link, as the button on its page does.
 * @param as type of the link. The default is the type that the link names
 * @returns the client with its session, or the error
 */
export async function openMailedLink(
  backend: Parameters<typeof anonClient>[0],
  link: string,
  as?: EmailOtpType,
) {
  const { searchParams } = new URL(link);
  const client = anonClient(backend);
  const { data, error } = await client.auth.verifyOtp({
    token_hash: searchParams.get('token_hash') ?? '',
    type: as ?? (searchParams.get('type') as EmailOtpType),
  });
  return { client, data, error };
}
