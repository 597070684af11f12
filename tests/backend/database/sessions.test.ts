import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { describe, expect } from 'vitest';
import {
  contentOf,
  createCoverage,
  createSharedCoverage,
  createUser,
  readCoverageRows,
  type TestContext,
  type TestUser,
  tryCall,
} from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import type { Catalog } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';

let context: TestContext;
let catalog: Catalog;
test.beforeAll(async ({ context: shared, catalog: sharedCatalog }) => {
  [context, catalog] = [shared, sharedCatalog];
});

/** Events that end a session while its tokens have not expired. */
const ENDS: [what: string, end: (person: TestUser) => Promise<unknown>][] = [
  ['signed out', ({ client }) => keepingToken(client, () => client.auth.signOut({ scope: 'local' }))],
  [
    'signed out everywhere, by another device',
    async ({ signIn }) => (await signIn()).auth.signOut({ scope: 'global' }),
  ],
  [
    'signed out from the list of devices',
    async ({ signIn }) => {
      const elsewhere = await signIn();
      for (const { id, current } of (await elsewhere.rpc('my_sessions')).data as {
        id: string;
        current: boolean;
      }[]) {
        if (!current) expect((await elsewhere.rpc('end_session', { device: id })).data).toBe(true);
      }
    },
  ],
  ['deactivated', ({ id }) => call(context.service, 'set_active', { person_id: id, active: false })],
  ['deleted', ({ id }) => call(context.service, 'delete_account', { person_id: id })],
  [
    'banned by the server',
    ({ id }) => done(context.service.auth.admin.updateUserById(id, { ban_duration: '1h' })),
  ],
  ['deleted by the server', ({ id }) => done(context.service.auth.admin.deleteUser(id))],
];

async function done(act: Promise<{ error: Error | null }>) {
  const { error } = await act;
  if (error) throw error;
}

/** Restores the token that auth-js removes with the session, like a copied token. */
async function keepingToken(client: SupabaseClient, act: () => Promise<unknown>) {
  const { data } = await client.auth.getSession();
  await act();
  return data.session?.access_token;
}

describe.each(ENDS)('a person who was %s', (_what, end) => {
  test('is refused everything from the next call on, and changes nothing', async () => {
    const person = await createUser(context, 'editor');
    const { data } = await person.client.auth.getSession();
    const token = data.session?.access_token as string;
    const coverage_id = await createSharedCoverage(context, 'live');
    const open = (path: string, init: RequestInit = {}) =>
      fetch(`${context.backend.url}/rest/v1/${path}`, {
        ...init,
        headers: {
          ...context.backend.headers,
          apikey: context.backend.publishableKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
      });
    expect((await open(`desk_updates?coverage_id=eq.${coverage_id}`)).status).toBe(200);
    await end(person);

    const before = await readCoverageRows(context.service, coverage_id);
    const write = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id: randomUUID(),
      content: contentOf('After the end.'),
    };
    const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });
    for (const [path, init] of [
      [`desk_updates?select=id&coverage_id=eq.${coverage_id}`, {}],
      ['coverages?select=id', {}],
      ['coverages?select=id', { method: 'HEAD' }],
      ['rpc/get_me', {}],
      ['rpc/get_me', post({})],
      ['rpc/my_sessions', post({})],
      ['rpc/publish_update', post(write)],
      ['rpc/save_me', post({ idempotency_key: randomUUID(), content: { display_name: 'Still here' } })],
      ['rpc/resolve_slug?slug=any', {}],
      ['topics', post({ slug: 'mine', name: 'Mine' })],
      ['topics?slug=eq.mine', { method: 'PATCH', body: '{"name":"Mine"}' }],
      ['topics?slug=eq.mine', { method: 'DELETE' }],
    ] as [string, RequestInit][]) {
      const answer = await open(path, init);
      expect(answer.status, path).toBe(401);
      if (init.method !== 'HEAD') {
        expect(await answer.json(), path).toEqual({
          code: 'PT401',
          message: 'signed_out',
          details: '{"reason": "session_ended"}',
          hint: null,
        });
      }
    }
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });
});

const PERSON = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const SESSION = '00000000-0000-4000-8000-0000000000aa';
const CLAIMS = { role: 'authenticated', sub: PERSON, session_id: SESSION };

describe('the session check', () => {
  /* On a hosted project a session survives a ban, and may have an end of its own. */
  test.each([
    ['is good', '', CLAIMS, true],
    ['is good behind a ban that is over', "banned_until = now() - interval '1 s'", CLAIMS, true],
    ['is not, of somebody banned', "banned_until = now() + interval '1 s'", CLAIMS, false],
    ['is not, of somebody deleted softly', 'deleted_at = now()', CLAIMS, false],
    ['is good before its end', "not_after = now() + interval '1 s'", CLAIMS, true],
    ['is not behind its end', 'not_after = now()', CLAIMS, false],
    ["is not another person's", '', { ...CLAIMS, sub: OTHER }, false],
    ['is not another one', '', { ...CLAIMS, session_id: OTHER }, false],
    ['is none by any other word', '', { ...CLAIMS, session_id: "' or true" }, false],
    ['is not asked of a key', '', { role: 'anon' }, true],
  ])('%s: %s', async (_what, change, claims, good) => {
    const outcome = await catalog.rolledBack(async (session) => {
      await session.query(
        `insert into auth.users (id, email) values ($1, 'a@x.example'), ($2, 'b@x.example')`,
        [PERSON, OTHER],
      );
      await session.query('insert into auth.sessions (id, user_id) values ($1, $2)', [SESSION, PERSON]);
      const table = change.startsWith('not_after') ? 'sessions' : 'users';
      if (change) await session.exec(`update auth.${table} set ${change}`);
      await session.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)]);
      await session.exec(`set local role ${claims.role}`);
      return session.query('select private.check_session()').then(
        () => 'good',
        ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
      );
    });
    expect(outcome).toBe(good ? 'good' : 'PT401 signed_out');
  });
});

describe('callers without a session', () => {
  test('read as before, because their keys do not end', async () => {
    const coverage_id = await createCoverage(context.service);
    for (const client of [context.actors.visitor.client, context.service]) {
      const { data, error } = await client.from('coverages').select('id').eq('id', coverage_id);
      expect({ data, error }).toEqual({ data: [{ id: coverage_id }], error: null });
    }
  });
});

describe('a deactivated person', () => {
  test('has no permissions, even after signing in again', async () => {
    const { id, signIn } = await createUser(context, 'editor');
    const coverage_id = await createSharedCoverage(context, 'draft');
    await call(context.service, 'set_active', { person_id: id, active: false });
    await expect(signIn()).rejects.toMatchObject({ code: 'user_banned' });
    await done(context.service.auth.admin.updateUserById(id, { ban_duration: 'none' }));
    const client = await signIn();
    expect(await client.rpc('get_me')).toMatchObject({ data: null, error: null });
    for (const table of ['desk_updates', 'coverages', 'coverage_members']) {
      const column = table === 'coverages' ? 'id' : 'coverage_id';
      expect((await client.from(table).select('*').eq(column, coverage_id)).data ?? []).toEqual([]);
    }
    const before = await readCoverageRows(context.service, coverage_id);
    const scene = { coverage_id, update_id: randomUUID(), content: contentOf('Still here.') };
    expect(await tryCall(client, 'save_update', scene)).toMatchObject({ code: 'not_found' });
    expect(await tryCall(client, 'save_me', { content: { bio: 'Still here.' } })).toMatchObject({
      code: 'forbidden',
    });
    expect(await tryCall(client, 'set_role', { person_id: id, role: 'owner' })).toMatchObject({
      code: 'forbidden',
    });
    expect((await client.rpc('desk_people')).error?.message).toBe('forbidden');
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });

  test('signs in again after reactivation, and the earlier session stays ended', async () => {
    const { id, client, signIn } = await createUser(context, 'reporter');
    const active = (isActive: boolean) =>
      call(context.actors.owner.client, 'set_active', { person_id: id, active: isActive });
    await active(false);
    await active(true);
    expect((await client.rpc('get_me')).error).toMatchObject({ code: 'PT401', message: 'signed_out' });
    expect((await (await signIn()).rpc('get_me')).data).toMatchObject({ id, role: 'reporter' });
  });
});
