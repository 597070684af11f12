import { randomUUID } from 'node:crypto';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { describe, expect } from 'vitest';
import { readConfig } from '../../../packages/embedded-supabase/src/config.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { createUser, type TestContext, tryCall } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import type { Catalog } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';

let context: TestContext;
let catalog: Catalog;
test.beforeAll(async ({ context: shared, catalog: sharedCatalog }) => {
  [context, catalog] = [shared, sharedCatalog];
});

type Device = { id: string; user_agent: string | null; last_seen_at: string; current: boolean };

const PERSON = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const SESSION = '00000000-0000-4000-8000-0000000000aa';
const CLAIMS = { role: 'authenticated', sub: PERSON, session_id: SESSION };

describe('devices', () => {
  const devicesOf = async (client: SupabaseClient) => (await client.rpc('my_sessions')).data as Device[];

  test("are the person's own sessions, the current one first", async () => {
    const { client, signIn } = await createUser(context);
    await createUser(context);
    const second = await signIn();
    const [mine, other] = await devicesOf(second);
    expect(mine).toMatchObject({ current: true, started_at: expect.any(String) });
    expect(other).toMatchObject({ current: false });
    expect(await devicesOf(second)).toHaveLength(2);
    expect((await devicesOf(client)).map(({ id, current }) => [id, current])).toEqual([
      [other?.id, true],
      [mine?.id, false],
    ]);
  });

  test('have the time of the last refresh', async () => {
    const { client } = await createUser(context);
    const [before] = await devicesOf(client);
    await client.auth.refreshSession();
    const [after] = await devicesOf(client);
    expect(after?.id).toBe(before?.id);
    expect(Date.parse(String(after?.last_seen_at))).toBeGreaterThan(Date.parse(String(before?.last_seen_at)));
    expect(Math.abs(Date.now() - Date.parse(String(after?.last_seen_at)))).toBeLessThan(60_000);
  });

  test('have the most recent user agent', async () => {
    const { client } = await createUser(context);
    const { data } = await client.auth.getSession();
    const telephone = createClient(context.backend.url, context.backend.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { headers: { 'user-agent': 'Telephone/1.0' } },
    });
    await telephone.auth.refreshSession({ refresh_token: data.session?.refresh_token ?? '' });
    expect(await devicesOf(telephone)).toMatchObject([{ user_agent: 'Telephone/1.0', current: true }]);
  });

  test('disappear when their session has been idle for too long', async () => {
    const { inactivityTimeout } = (await readConfig()).auth.sessions;
    expect(inactivityTimeout).toBe(LIMITS.session_days * 24 * 3600);
    const listed = await catalog.rolledBack(async (session) => {
      await session.query('insert into auth.users (id, email) values ($1, $2)', [PERSON, 'a@x.example']);
      for (const [id, seconds] of [
        [OTHER, inactivityTimeout + 1],
        [SESSION, inactivityTimeout - 60],
      ]) {
        await session.query(
          `insert into auth.sessions (id, user_id, created_at, refreshed_at)
           values ($1, $2, now() - interval '1 year', (now() at time zone 'UTC') - make_interval(secs => $3))`,
          [id, PERSON, seconds],
        );
      }
      await session.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(CLAIMS)]);
      return session.query<Device>('select id, current from public.my_sessions()');
    });
    expect(listed.rows).toEqual([{ id: SESSION, current: true }]);
  });

  test('of other people cannot be ended, and look like missing ones', async () => {
    const [victim, stranger] = [await createUser(context), await createUser(context, 'owner')];
    const [device] = await devicesOf(victim.client);
    for (const id of [device?.id, randomUUID(), null]) {
      expect(await stranger.client.rpc('end_session', { device: id })).toMatchObject({
        data: false,
        error: null,
      });
    }
    expect(await devicesOf(victim.client)).toEqual([device]);
    await call(context.service, 'set_role', { person_id: stranger.id, role: 'reader' });
  });

  test('end once', async () => {
    const { client, signIn } = await createUser(context);
    const [device] = await devicesOf(client);
    const other = await signIn();
    const end = async () => (await other.rpc('end_session', { device: device?.id })).data;
    expect([await end(), await end()]).toEqual([true, false]);
    expect((await client.auth.refreshSession()).error).not.toBeNull();
  });

  test('are refused to a visitor', async () => {
    const { error } = await context.actors.visitor.client.rpc('my_sessions');
    expect(error?.code).toBe('42501');
    expect(await tryCall(context.actors.visitor.client, 'save_me', { content: {} })).toMatchObject({
      code: 'denied',
    });
  });
});
