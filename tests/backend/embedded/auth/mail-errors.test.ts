import { afterAll, beforeAll, describe, expect } from 'vitest';
import { anonClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import { type MailServer, startMailServer } from '../../../support/mail.ts';
import { PROBE_SCHEMA } from '../probe.ts';
import { type Mailing, newAddress, newMember, PASSWORD, readLink, signedIn, test } from './mailing.ts';

describe('a mail that cannot be delivered', () => {
  let refusing = true;
  let server: MailServer;
  let backend: TestBackend;
  beforeAll(async () => {
    server = await startMailServer({
      onRcptTo: (_to, _session, done) => done(refusing ? new Error('Nobody here.') : undefined),
    });
    backend = await startBackend({ migrations: PROBE_SCHEMA, environment: server.environment });
  });
  afterAll(async () => {
    await backend.stop();
    await server.stop();
  });

  test('returns an error to a signed-in person, who can try again', async () => {
    const [email, newEmail] = [newAddress(), newAddress()];
    const client = anonClient(backend);
    await newMember(backend, { email });
    await client.auth.signInWithPassword({ email, password: PASSWORD });

    refusing = true;
    const failed = await client.auth.updateUser({ email: newEmail });
    expect(failed.error).toMatchObject({ status: 500, message: 'The e-mail could not be sent. Try again.' });
    expect(server.delivered).toEqual([]);

    refusing = false;
    expect((await client.auth.updateUser({ email: newEmail })).error).toBeNull();
    for (const address of [newEmail, email]) {
      const { token_hash, type } = readLink(await server.next(address));
      expect((await anonClient(backend).auth.verifyOtp({ token_hash, type })).error).toBeNull();
    }
    expect((await client.auth.getUser()).data.user?.email).toBe(newEmail);
  });

  test('returns no error to a visitor, because that would reveal an account', async () => {
    refusing = true;
    const email = newAddress();
    await newMember(backend, { email });
    const { auth } = anonClient(backend);
    for (const address of [email, newAddress()]) {
      expect((await auth.resetPasswordForEmail(address)).error).toBeNull();
      expect((await auth.signInWithOtp({ email: address })).error).toBeNull();
      expect((await auth.signUp({ email: address, password: PASSWORD })).error).toBeNull();
    }
  });
});

describe('a promised mail', () => {
  let server: MailServer;
  let backend: TestBackend;
  beforeAll(async () => {
    server = await startMailServer();
    backend = await startBackend({ migrations: PROBE_SCHEMA, environment: server.environment });
  });
  afterAll(() => server.stop());

  test('is sent even if the backend stops right after its response', async () => {
    const email = newAddress();
    await anonClient(backend).auth.signUp({ email, password: PASSWORD });
    expect(await backend.stop()).toBe(0);
    expect(server.delivered.map(({ to }) => to)).toEqual([[email]]);
  });
});

describe('concurrent calls for one account', () => {
  let backend: Mailing;
  test.beforeAll(({ mailing }) => {
    backend = mailing;
  });

  test('cause no faults and leave a consistent account', async () => {
    const member = await newMember(backend);
    const clients = await Promise.all([1, 2, 3, 4].map(() => signedIn(backend, member)));
    await anonClient(backend).auth.signInWithOtp({ email: member.email });
    await anonClient(backend).auth.resetPasswordForEmail(member.email);
    const mails = [await backend.mails.next(member.email), await backend.mails.next(member.email)].map(
      readLink,
    );
    const verifying = () =>
      mails.map(({ token_hash, type }) => anonClient(backend).auth.verifyOtp({ token_hash, type }));
    const [one, two, three, four] = clients;
    if (!one || !two || !three || !four) throw new Error('Four clients of the account are signed in.');

    const outcomes = await Promise.all([
      ...verifying(),
      one.auth.updateUser({ password: 'quite another one', current_password: member.password }),
      two.auth.signOut({ scope: 'others' }),
      three.auth.refreshSession(),
      four.auth.updateUser({ data: { name: 'Ada' } }),
      anonClient(backend).auth.signInWithOtp({ email: member.email }),
      anonClient(backend).auth.signInWithPassword(member),
      three.auth.signOut({ scope: 'global' }),
      ...verifying(),
    ]);
    const statuses = outcomes.map(({ error }) => error?.status ?? 200);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);

    const passwords = [PASSWORD, 'quite another one'];
    const after = await Promise.all(
      passwords.map((password) => anonClient(backend).auth.signInWithPassword({ ...member, password })),
    );
    expect(after.filter(({ error }) => error === null)).toHaveLength(1);
  });
});
