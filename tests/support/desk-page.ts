import type { Locator, Page } from 'playwright-core';
import type { Person } from './newsroom.ts';
import { signIn } from './sign-in.ts';

/** A desk, as its reporter works at it: by its labels and buttons. Each act waits until the desk says it is done. */
export type DeskPage = {
  page: Page;
  publish(body: string): Promise<void>;
  revise(number: number, body: string): Promise<void>;
  correct(number: number, body: string, note: string): Promise<void>;
  withdraw(number: number, reason: string): Promise<void>;
};

/** Signs a person in and opens the desk of a coverage. */
export async function openDesk(page: Page, person: Person, slug: string): Promise<DeskPage> {
  await signIn(page, person);
  await page.goto(`/desk/${slug}`);
  const composer = page.getByRole('region', { name: 'New update' });
  const row = (number: number) =>
    page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: `number ${number}`, exact: true }) });
  const write = (form: Locator, body: string) => form.getByLabel('What happened').fill(body);
  const change = async (number: number, body: string) => {
    await row(number).getByRole('button', { name: /^Edit/ }).click();
    await write(row(number), body);
  };
  const save = async (number: number) => {
    await row(number).getByRole('button', { name: 'Save change' }).click();
    await row(number).getByRole('button', { name: /^Edit/ }).waitFor();
  };
  return {
    page,
    async publish(body) {
      await write(composer, body);
      await composer.getByRole('button', { name: 'Publish' }).click();
      await composer.getByText('Published as number').waitFor();
    },
    async revise(number, body) {
      await change(number, body);
      await save(number);
    },
    async correct(number, body, note) {
      await change(number, body);
      await row(number)
        .getByRole('radio', { name: /^Correction/ })
        .check();
      await row(number).getByLabel('Note to readers').fill(note);
      await save(number);
    },
    async withdraw(number, reason) {
      await row(number)
        .getByRole('button', { name: /^Withdraw/ })
        .click();
      await row(number).getByLabel('Why it is withdrawn').fill(reason);
      await row(number).getByRole('button', { name: 'Withdraw', exact: true }).click();
      await row(number).getByText('Withdrawn', { exact: true }).waitFor();
    },
  };
}
