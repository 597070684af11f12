import { randomUUID } from 'node:crypto';
import { signUp } from '../support/backend.ts';
import { signInWithCookies } from '../support/http-client.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

export const PASSWORD = 'correct horse battery';

/** A site without a mail server, with its owner signed in. */
export const test = base.extend('owner', { scope: 'file' }, async ({ site, people }) =>
  signInWithCookies(site.url, people.owner),
);

export const roleOf = async ({ service }: TestSite, id: string) => {
  const { data } = await service.from('people').select('role, active').eq('id', id).single();
  return data;
};

export async function createReader(site: TestSite) {
  const email = `${randomUUID()}@example.com`;
  const { user } = await signUp(site, { email, password: PASSWORD });
  return { id: user.id, email, password: PASSWORD };
}
