import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  consumeToken,
  issueToken,
  type OtpCredential,
  type TokenType,
} from '../../../../packages/embedded-supabase/src/auth/one-time-tokens.ts';
import {
  createSession,
  limitIdleSessions,
  refreshSession,
} from '../../../../packages/embedded-supabase/src/auth/sessions.ts';
import { authSchema } from '../../../../packages/embedded-supabase/src/auth/tables.ts';
import { createUser } from '../../../../packages/embedded-supabase/src/auth/users.ts';
import { callOf, openAuthContext } from './context.ts';

let context: Awaited<ReturnType<typeof openAuthContext>>;
beforeAll(async () => {
  context = await openAuthContext();
});
afterAll(() => context.close());

async function newUser() {
  const address = `${randomUUID()}@example.com`;
  const user = await createUser(context.restApi.db, {
    email: address,
    passwordHash: undefined,
    confirmed: true,
  });
  if (!user) throw new Error('A new address creates an account.');
  return { id: user.id, address };
}

/** Requests the next token of a session. */
const refreshed = (refreshToken: string) => refreshSession(context, callOf({ refreshToken }));

const issue = ({ id, address }: { id: string; address: string }, type: TokenType = 'magiclink') =>
  issueToken(context, context.restApi.db, { userId: id, type, address });
const claim = (proof: OtpCredential, type: TokenType = 'magiclink') =>
  context.restApi.db.transaction().execute((tx) => consumeToken(context, tx, [type], proof));

// lite runs in this process, so a polluted prototype would affect all requests.
test('Object.prototype is frozen', () => {
  const every = Object.prototype as Record<string, unknown>;
  expect(() => {
    every.polluted = 1;
  }).toThrow(TypeError);
  expect(every.polluted).toBeUndefined();
});

describe('a one-time token', () => {
  test('is stored as digests only', async () => {
    const user = await newUser();
    const { token, tokenHash } = await issue(user);
    const rows = await authSchema(context.restApi.db)
      .selectFrom('one_time_tokens')
      .selectAll()
      .where('user_id', '=', user.id)
      .execute();
    expect(rows).toHaveLength(1);
    const kept = JSON.stringify(rows);
    for (const secret of [token, tokenHash]) expect(kept).not.toContain(secret);
  });

  test('has a keyed digest, so that codes cannot be guessed from the database', async () => {
    const user = await newUser();
    const { token } = await issue(user);
    const elsewhere = { ...context, keys: { ...context.keys, internal: 'another key' } };
    const proof = { address: user.address, token };
    const stolen = await context.restApi.db
      .transaction()
      .execute((tx) => consumeToken(elsewhere, tx, ['magiclink'], proof));
    expect(stolen).toBeUndefined();
    expect(await claim(proof)).toMatchObject({ user: { id: user.id }, type: 'magiclink' });
  });

  test('expires', async () => {
    const user = await newUser();
    const inMinutes = async (minutes: number) => {
      const token = await issue(user);
      await authSchema(context.restApi.db)
        .updateTable('one_time_tokens')
        .set({ expires_at: sql`expires_at - make_interval(mins => ${minutes}::int)` })
        .where('user_id', '=', user.id)
        .execute();
      return token;
    };
    expect(await claim({ tokenHash: (await inMinutes(59)).tokenHash })).toBeDefined();
    expect(await claim({ tokenHash: (await inMinutes(60)).tokenHash })).toBeUndefined();
    const { token } = await inMinutes(60);
    expect(await claim({ address: user.address, token })).toBeUndefined();
  });

  test('is deleted with its account', async () => {
    const user = await newUser();
    const { tokenHash } = await issue(user);
    await authSchema(context.restApi.db).deleteFrom('users').where('id', '=', user.id).execute();
    expect(await claim({ tokenHash })).toBeUndefined();
  });
});

describe('an idle session', () => {
  const age = (id: string, days: number) =>
    authSchema(context.restApi.db)
      .updateTable('sessions')
      .set({ created_at: sql`now() - make_interval(days => ${days}::int)` })
      .where('id', '=', id)
      .execute();
  const sessionsOf = async (user: string) => {
    const rows = await authSchema(context.restApi.db)
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', user)
      .execute();
    return rows.map(({ id }) => id);
  };

  test('is deleted after thirty days', async () => {
    const { id } = await newUser();
    const begin = () =>
      createSession(context.restApi.db, id, 'password', {
        userAgent: 'Lynx',
        address: '203.0.113.7',
      });
    const [recent, old] = [await begin(), await begin()];
    await age(recent.id, 29);
    await age(old.id, 31);
    await limitIdleSessions(context).stop();
    expect(await sessionsOf(id)).toEqual([recent.id]);
  });

  test('cannot be refreshed', async () => {
    const { id } = await newUser();
    const session = await createSession(context.restApi.db, id, 'password', {
      userAgent: undefined,
      address: 'not an address',
    });
    await age(session.id, 31);
    await expect(refreshed(session.refreshToken)).rejects.toMatchObject({ code: 'session_expired' });
    await expect(refreshed(session.refreshToken)).rejects.toMatchObject({ code: 'refresh_token_not_found' });
    expect(await sessionsOf(id)).toEqual([]);
  });
});
