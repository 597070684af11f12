import type { Person } from './newsroom.ts';

/** The part of a page that signing in needs: Playwright's, or one of another engine. */
type SignInPage = {
  goto(path: string): Promise<unknown>;
  getByLabel(label: string): { fill(text: string): Promise<void> };
  getByRole(role: 'button', options: { name: string }): { click(): Promise<void> };
  waitForURL(matches: (url: URL) => boolean): Promise<void>;
};

/** Signs a person in as they do it themselves: by the form. */
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
