import { createClient } from '@supabase/supabase-js';
import { expect } from 'vitest';
import { serviceClient, type TestBackend } from '../../../support/backend.ts';
import { test } from '../probe.ts';
import { PASSWORD } from './mailing.ts';

let backend: TestBackend;
let service: ReturnType<typeof serviceClient>;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
  service = serviceClient(backend);
});

/** A client as the site creates it for a visitor. */
const visitor = (userAgent: string, address?: string) =>
  createClient(backend.url, backend.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      headers: {
        ...backend.headers,
        'user-agent': userAgent,
        ...(address && { 'x-forwarded-for': address }),
      },
    },
  });

async function newPerson(email: string) {
  const { data } = await service.auth.admin.createUser({ email, password: PASSWORD, email_confirm: true });
  return data.user?.id ?? '';
}

async function sessionsOf(person: string) {
  const { data, error } = await service.rpc('sessions_of', { person });
  if (error) throw error;
  return data as { user_agent: string | null; ip: string | null; refreshed_at: string | null }[];
}

test('stores browser and address for each way of signing in', async () => {
  const email = 'ada@example.com';
  const person = await newPerson(email);
  await visitor('Phone', '203.0.113.7').auth.signInWithPassword({ email, password: PASSWORD });
  const { data } = await service.auth.admin.generateLink({ type: 'magiclink', email });
  const token_hash = data.properties?.hashed_token ?? '';
  await visitor('Laptop', '2001:db8::7').auth.verifyOtp({ token_hash, type: 'magiclink' });
  expect(await sessionsOf(person)).toEqual([
    { user_agent: 'Phone', ip: '203.0.113.7', refreshed_at: null },
    { user_agent: 'Laptop', ip: '2001:db8::7', refreshed_at: null },
  ]);

  const { data: made } = await visitor('Tablet', '203.0.113.8').auth.signUp({
    email: 'bob@example.com',
    password: PASSWORD,
  });
  expect(await sessionsOf(made.user?.id ?? '')).toEqual([
    { user_agent: 'Tablet', ip: '203.0.113.8', refreshed_at: null },
  ]);
});

test('updates browser and address when a session continues', async () => {
  const email = 'carol@example.com';
  const person = await newPerson(email);
  const { data } = await visitor('Phone 1.0', '203.0.113.7').auth.signInWithPassword({
    email,
    password: PASSWORD,
  });
  const refresh_token = data.session?.refresh_token ?? '';
  await visitor('Phone 2.0', '198.51.100.9').auth.refreshSession({ refresh_token });
  expect(await sessionsOf(person)).toEqual([
    { user_agent: 'Phone 2.0', ip: '198.51.100.9', refreshed_at: expect.any(String) },
  ]);
});

test('ignores invalid addresses, and shortens long names', async () => {
  const email = 'dora@example.com';
  const person = await newPerson(email);
  await visitor('x'.repeat(5000), 'unknown').auth.signInWithPassword({ email, password: PASSWORD });
  const [session] = await sessionsOf(person);
  expect(session?.ip).toBeNull();
  expect(session?.user_agent).toHaveLength(300);
  await visitor('').auth.signInWithPassword({ email, password: PASSWORD });
  expect((await sessionsOf(person))[1]).toMatchObject({ ip: null });
});
