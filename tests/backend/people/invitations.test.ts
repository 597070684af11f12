import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, expect, vi } from 'vitest';
import { createOneTimeLink } from '../../../src/lib/http/invitations.server.ts';
import { Refused } from '../../../src/lib/i18n/refusals.ts';
import { anonClient, serviceClient, type TestBackend } from '../../support/backend.ts';
import { test } from '../../support/backend-test.ts';
import { createUsers, type People } from '../../support/newsroom.ts';

/* The site's use of the secret key for sign-in links, on a real backend. */
let backend: TestBackend;
let service: SupabaseClient;
let people: People;
test.beforeAll(async ({ context }) => {
  backend = context.backend;
  service = serviceClient(backend);
  vi.stubEnv('PUBLIC_SUPABASE_URL', backend.url);
  vi.stubEnv('STOPPRESS_BACKEND_HEADERS', JSON.stringify(backend.headers));
  vi.stubEnv('PUBLIC_SUPABASE_PUBLISHABLE_KEY', backend.publishableKey);
  vi.stubEnv('SUPABASE_SECRET_KEY', backend.secretKey);
  people = await createUsers({ ...backend, service });
});
afterAll(() => void vi.unstubAllEnvs());

test('creates links for owners only, as the database knows them', async () => {
  for (const { client, role } of [people.editor, people.reader]) {
    const link = createOneTimeLink(client, people.reporter.id);
    await expect(link, role).rejects.toThrow(Refused);
    await expect(link, role).rejects.toMatchObject({ refusal: { code: 'forbidden' } });
  }
  const { password, email: reporters } = people.reporter;
  const { error } = await anonClient(backend).auth.signInWithPassword({ email: reporters, password });
  expect(error).toBeNull();
  expect(await createOneTimeLink(people.owner.client, people.reporter.id)).toMatchObject({ isNew: false });
});
