import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AuthContext } from '../../../../packages/embedded-supabase/src/auth/context.ts';
import {
  resend,
  resetPasswordForEmail,
  signInWithOtp,
} from '../../../../packages/embedded-supabase/src/auth/routes.ts';
import { signInWithPassword } from '../../../../packages/embedded-supabase/src/auth/sign-in.ts';
import {
  resumeSignUps,
  signUpWithPassword,
} from '../../../../packages/embedded-supabase/src/auth/sign-up.ts';
import { authSchema } from '../../../../packages/embedded-supabase/src/auth/tables.ts';
import { createUser, findUser } from '../../../../packages/embedded-supabase/src/auth/users.ts';
import { callOf, openAuthContext } from './context.ts';
import { newAddress, PASSWORD } from './mailing.ts';

let context: Awaited<ReturnType<typeof openAuthContext>>;
beforeAll(async () => {
  context = await openAuthContext();
});
afterAll(() => context.close());

test('answers before it sends a mail, and waits for the mail when it stops', async () => {
  const line = Promise.withResolvers<void>();
  const sent: string[] = [];
  const slow: AuthContext = {
    ...context,
    mailer: {
      available: true,
      async send(kind) {
        await line.promise;
        sent.push(kind);
      },
      async close() {},
    },
  };
  const [known, pending] = [newAddress(), newAddress()];
  const make = (email: string, confirmed: boolean) =>
    createUser(context.restApi.db, { email, passwordHash: undefined, confirmed });
  await make(known, true);
  await make(pending, false);

  await signUpWithPassword(slow, callOf({ email: newAddress(), password: PASSWORD }));
  await signInWithOtp(slow, callOf({ email: known }));
  await resetPasswordForEmail(slow, callOf({ email: known }));
  await resend(slow, callOf({ email: pending, type: 'signup' }));
  expect(sent).toEqual([]);
  const settled = slow.backgroundJobs.settled();
  line.resolve();
  await settled;
  expect(sent.sort()).toEqual(['confirmation', 'confirmation', 'magic_link', 'recovery']);
});

test('does the same work whether an address has an account or not', async () => {
  const [known, pending] = [newAddress(), newAddress()];
  await createUser(context.restApi.db, { email: known, passwordHash: undefined, confirmed: true });
  await createUser(context.restApi.db, { email: pending, passwordHash: undefined, confirmed: false });
  let statements = 0;
  const db = context.restApi.db.withPlugin({
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const mailer = { available: true, send: async () => {}, close: async () => {} };
  const watched: AuthContext = { ...context, restApi: { ...context.restApi, db }, mailer };

  for (const [flow, said] of [
    [signUpWithPassword, { password: PASSWORD }],
    [signInWithOtp, {}],
    [resetPasswordForEmail, {}],
    [resend, { type: 'signup' }],
  ] as const) {
    for (const email of [newAddress(), known, pending]) {
      statements = 0;
      await flow(watched, callOf({ email, ...said }));
      expect([flow.name, statements]).toEqual([flow.name, 1]);
      await context.backgroundJobs.settled();
    }
  }
});

test('does the same work before it answers a sign-in by mail that creates no account', async () => {
  const known = newAddress();
  await createUser(context.restApi.db, { email: known, passwordHash: undefined, confirmed: true });
  const answered: string[][] = [];
  let statements: string[] = [];
  const db = context.restApi.db.withPlugin({
    transformQuery({ node }) {
      statements.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const mailer = { available: true, send: async () => {}, close: async () => {} };
  const watched: AuthContext = { ...context, restApi: { ...context.restApi, db }, mailer };
  for (const email of [newAddress(), known]) {
    statements = [];
    await signInWithOtp(watched, callOf({ email, createUser: false })).catch(({ code }) =>
      expect(code).toBe('otp_disabled'),
    );
    answered.push([...statements]);
    await context.backgroundJobs.settled();
  }
  expect(answered).toEqual([['SelectQueryNode'], ['SelectQueryNode']]);
});

/** Returns a context that acts as if its process ended after each response, and the recipients of its mails. */
function endingContext() {
  const recipients: string[] = [];
  const ending: AuthContext = {
    ...context,
    backgroundJobs: { begin: () => {}, settled: async () => {} },
    mailer: {
      available: true,
      async send(_kind, { to }) {
        recipients.push(to);
      },
      async close() {},
    },
  };
  return { ending, recipients };
}

const resume = (ending: AuthContext) => resumeSignUps(ending).stop();

test('carries out a sign-in by mail after a restart, for a new address as for a known one', async () => {
  const { ending, recipients } = endingContext();
  const [email, known] = [newAddress(), newAddress()];
  await createUser(context.restApi.db, { email: known, passwordHash: undefined, confirmed: true });
  for (const address of [email, known])
    await signInWithOtp(ending, callOf({ email: address, data: { name: 'Ada' } }));
  expect(await findUser(context.restApi.db, { email })).toBeUndefined();

  await resume(ending);
  expect(recipients).toEqual([email, known]);
  expect(await findUser(context.restApi.db, { email })).toMatchObject({
    email_confirmed_at: null,
    encrypted_password: null,
    raw_user_meta_data: { name: 'Ada' },
  });
  await resume(ending);
  expect(recipients, 'it is done once').toEqual([email, known]);
});

test('carries out a sign-up after a restart if the process ended after the answer', async () => {
  const { ending, recipients } = endingContext();
  const [email, known] = [newAddress(), newAddress()];
  await createUser(context.restApi.db, { email: known, passwordHash: undefined, confirmed: true });
  for (const address of [email, known])
    await signUpWithPassword(ending, callOf({ email: address, password: PASSWORD, data: { name: 'Ada' } }));
  expect(await findUser(context.restApi.db, { email })).toBeUndefined();

  await resume(ending);
  expect(recipients).toEqual([email]);
  expect(await findUser(context.restApi.db, { email })).toMatchObject({
    email_confirmed_at: null,
    raw_user_meta_data: { name: 'Ada' },
  });
  const signIn = signInWithPassword(ending, callOf({ email, password: PASSWORD }));
  await expect(signIn, 'the password is the right one').rejects.toMatchObject({
    code: 'email_not_confirmed',
  });
  await resume(ending);
  expect(recipients, 'it is done once').toEqual([email]);
});

test('completes a sign-up although a hundred older ones fail', async () => {
  const { ending, recipients } = endingContext();
  const { db } = context.restApi;
  await sql`
    create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
  `.execute(db);
  await sql`
    create trigger refuse before insert on auth.users for each row when (new.email like 'refused%')
    execute function pg_temp.refuse()
  `.execute(db);
  onTestFinished(async () => {
    await sql`drop trigger refuse on auth.users`.execute(db);
    await sql`delete from auth.pending_sign_ups where true`.execute(db);
  });
  await sql`
    insert into auth.pending_sign_ups (id, email, data, created_at)
    select gen_random_uuid(), 'refused' || n || '@paper.example', '{}', now() - interval '1 hour'
    from generate_series(1, 100) n
  `.execute(db);
  const email = newAddress();
  await signUpWithPassword(ending, callOf({ email, password: PASSWORD }));

  await resume(ending);
  expect(recipients).toEqual([email]);
});

test('keeps the password of a sign-up whose process ended before its mail was sent', async () => {
  const { ending, recipients } = endingContext();
  const email = newAddress();
  const lost: AuthContext = { ...ending, mailer: { ...ending.mailer, send: () => new Promise(() => {}) } };
  await signUpWithPassword(
    { ...lost, backgroundJobs: { begin: (work) => void work(), settled: async () => {} } },
    callOf({ email, password: PASSWORD }),
  );
  await expect.poll(() => findUser(context.restApi.db, { email })).toBeDefined();
  await resume(ending);
  expect(recipients).toEqual([email]);
  const signIn = signInWithPassword(ending, callOf({ email, password: PASSWORD }));
  await expect(signIn).rejects.toMatchObject({ code: 'email_not_confirmed' });
});

describe('a stored sign-up that the database does not complete', () => {
  const stored = () =>
    authSchema(context.restApi.db).selectFrom('pending_sign_ups').select('email').orderBy('email').execute();
  const age = (email: string, hours: number) =>
    authSchema(context.restApi.db)
      .updateTable('pending_sign_ups')
      .set({ created_at: sql`now() - make_interval(hours => ${hours}::int)` })
      .where('email', '=', email)
      .execute();

  /** A context whose database refuses new accounts. */
  function refusingContext({ ending }: ReturnType<typeof endingContext>): AuthContext {
    const db = context.restApi.db.withPlugin({
      transformQuery({ node }) {
        if (node.kind === 'InsertQueryNode') throw new Error('The database is full.');
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    return { ...ending, restApi: { ...context.restApi, db } };
  }

  test('is kept for a day', async () => {
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => errorLog.mockRestore());
    const state = endingContext();
    const [recent, old] = [`a${newAddress()}`, `b${newAddress()}`];
    for (const email of [recent, old])
      await signUpWithPassword(state.ending, callOf({ email, password: PASSWORD }));
    await age(recent, 23);
    await age(old, 25);
    await resume(refusingContext(state));
    expect(await stored()).toEqual([{ email: recent }]);
    await resume(state.ending);
    expect(state.recipients).toEqual([recent]);
    expect(await stored()).toEqual([]);
  });

  test('is left to its own call for two minutes after the start', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { ending, recipients } = endingContext();
    const reads: number[] = [];
    const db = context.restApi.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        reads.push(result.rows.length);
        return result;
      },
    });
    const timer = resumeSignUps({ ...ending, restApi: { ...context.restApi, db } });
    onTestFinished(() => timer.stop());
    await vi.waitFor(() => expect(reads).toEqual([0]));
    const [recent, old] = [`a${newAddress()}`, `b${newAddress()}`];
    for (const email of [recent, old])
      await signUpWithPassword(ending, callOf({ email, password: PASSWORD }));
    await authSchema(context.restApi.db)
      .updateTable('pending_sign_ups')
      .set({ created_at: sql`now() - interval '3 minutes'` })
      .where('email', '=', old)
      .execute();
    await vi.advanceTimersByTimeAsync(30_000);
    await vi.waitFor(() => expect(recipients).toEqual([old]));
    expect(reads[1]).toBe(1);
    await timer.stop();
    expect(await stored()).toEqual([{ email: recent }]);
    await resume(ending);
  });
});
