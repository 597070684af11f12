import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Refused } from '../../../src/lib/http/errors.ts';
import { handLink, invite } from '../../../src/lib/people/invitations.server.ts';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { hireEveryone, type People } from '../../support/newsroom.ts';

/* The site's own invitations on a real backend, called as its pages call them. */
let backend: TestBackend;
let service: SupabaseClient;
let people: People;
beforeAll(async () => {
  backend = await startBackend();
  service = serviceClient(backend);
  vi.stubEnv('PUBLIC_SUPABASE_URL', backend.url);
  vi.stubEnv('PUBLIC_SUPABASE_PUBLISHABLE_KEY', backend.publishableKey);
  vi.stubEnv('SUPABASE_SECRET_KEY', backend.secretKey);
  people = await hireEveryone({ ...backend, service });
});
afterAll(() => backend.stop());

function invitation(email: string): FormData {
  const form = new FormData();
  const fields = { name: 'Nell Ashe', email, role: 'owner', by: 'link' };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

const isKnown = async (email: string) =>
  (await service.auth.admin.listUsers({ perPage: 1000 })).data.users.some((user) => user.email === email);

test('the door asks the database itself whether the caller owns the newsroom', async () => {
  const email = `${randomUUID()}@example.com`;
  for (const { client, role } of [people.editor, people.reader]) {
    expect(await invite(client, invitation(email)), role).toMatchObject({ refusal: { code: 'forbidden' } });
    const link = handLink(client, people.reporter.id);
    await expect(link, role).rejects.toThrow(Refused);
    await expect(link, role).rejects.toMatchObject({ refusal: { code: 'forbidden' } });
  }
  expect(await isKnown(email)).toBe(false);
  const { password, email: reporters } = people.reporter;
  const { error } = await anonClient(backend).auth.signInWithPassword({ email: reporters, password });
  expect(error).toBeNull();
});

test('an account that could not be given its role does not stay', async () => {
  const email = `${randomUUID()}@example.com`;
  const { client } = people.owner;
  // The owner loses the right between two calls.
  const demoted = new Proxy(client, {
    get: (target, name) =>
      name === 'rpc'
        ? (called: string, args: object) =>
            (called === 'set_role' ? people.editor.client : target).rpc(called, args)
        : Reflect.get(target, name),
  });
  expect(await invite(demoted, invitation(email))).toMatchObject({ refusal: { code: 'forbidden' } });
  expect(await isKnown(email)).toBe(false);
  expect(await invite(client, invitation(email))).toMatchObject({ link: { name: 'Nell Ashe', isNew: true } });
});
