import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { TestContext } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import type { Catalog } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';

/* Commands of owners: invites, the audit log and the site export. */

export let context: TestContext;

export let catalog: Catalog;

export let owner: SupabaseClient;

export const newToken = () => randomBytes(32).toString('base64url');

export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

export type Invited = { id: string; token: string; email: string };

export async function invite(content: object = {}, by = owner): Promise<Invited> {
  const [id, token, email] = [randomUUID(), newToken(), `${randomUUID()}@example.com`];
  const sent = { email, name: 'Nell Ashe', role: 'reporter', ...content };
  await call(by, 'invite_person', { invite_id: id, content: sent, token_hash: hashOf(token) });
  return { id, token, email };
}

export const read = async (token: string) =>
  (await context.actors.visitor.client.rpc('read_invite', { token })).data;

export type Entry = {
  id: number;
  action: string;
  created_by: string | null;
  by_name: string;
  person_name: string;
  created_at: string;
};

export const log = async (asked: object = {}) => {
  const { data, error } = await owner.rpc('desk_log', asked);
  if (error) throw new Error(error.message);
  return data as Entry[];
};

/** Shares the backend and the catalog of the worker with the tests of a file. */
export function useOwner(): void {
  test.beforeAll(({ context: sharedContext, catalog: sharedCatalog }) => {
    [context, catalog] = [sharedContext, sharedCatalog];
    owner = context.actors.owner.client;
  });
}
