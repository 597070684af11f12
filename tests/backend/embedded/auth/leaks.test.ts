import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBackend, type TestBackend } from '../../../support/backend.ts';
import { type MailServer, startMailServer } from '../../../support/mail.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* Runs every flow with success and failure, and checks the log and all refusals. */

const REFUSED = 'refused@example.com';

let mails: MailServer;
let backend: TestBackend;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo({ address }, _session, done) {
      done(address === REFUSED ? new Error('550 no such mailbox') : undefined);
    },
  });
  backend = await startBackend({ migrations: PROBE_SCHEMA, environment: mails.environment });
});
afterAll(() => mails.stop());

/** Bodies of refusals. */
const refusals: string[] = [];
/** Values that must not appear in a log or refusal. */
const secrets = new Set<string>();

const keep = <Secret extends string | undefined>(secret: Secret): Secret => {
  if (secret) secrets.add(secret);
  return secret;
};

function client(key = backend.publishableKey) {
  return createClient(backend.url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      headers: backend.headers,
      async fetch(input, init) {
        const response = await fetch(input, init);
        if (!response.ok) refusals.push(await response.clone().text());
        return response;
      },
    },
  });
}

const newPassword = () => keep(`a password: ${randomUUID()}`);
const newAddress = () => keep(`${randomUUID()}@example.com`);

/** The next mail to an address. Its token and code become secrets. */
async function open(address: string) {
  const { link, code } = await mails.next(address);
  const token_hash = keep(new URL(link).searchParams.get('token_hash') ?? '');
  return { token_hash, code: keep(code) ?? '' };
}

type Client = ReturnType<typeof client>;

async function keepSession({ auth }: Client) {
  const { data } = await auth.getSession();
  keep(data.session?.access_token);
  return keep(data.session?.refresh_token) ?? '';
}

async function signUpAndIn() {
  const [email, password] = [newAddress(), newPassword()];
  const person = client();
  await person.auth.signUp({ email, password });
  const first = await open(email);
  await person.auth.verifyOtp({ token_hash: first.token_hash, type: 'email' });
  await person.auth.verifyOtp({ token_hash: first.token_hash, type: 'email' });
  await keepSession(person);
  await person.auth.signInWithPassword({ email, password: newPassword() });
  await person.auth.signInWithPassword({ email, password });
  await person.auth.signUp({ email, password: newPassword() });
  return { person, email, refreshToken: await keepSession(person) };
}

test('no token, code, hash, password or address appears in the log or in a refusal', async () => {
  const { person, email, refreshToken } = await signUpAndIn();

  // Refreshes, and repeats a used token.
  for (let i = 0; i < 2; i++) {
    await person.auth.refreshSession();
    await keepSession(person);
  }
  await client().auth.refreshSession({ refresh_token: refreshToken });

  // A wrong code, the right one, and the used one.
  await person.auth.signInWithOtp({ email });
  const { code } = await open(email);
  for (const token of ['00000000', code, code]) {
    await person.auth.verifyOtp({ email, token, type: 'email' });
    await keepSession(person);
  }

  // A password reset, first with a weak password.
  await person.auth.resetPasswordForEmail(email);
  await person.auth.verifyOtp({ token_hash: (await open(email)).token_hash, type: 'recovery' });
  await keepSession(person);
  for (const password of [keep('weak one'), newPassword()]) await person.auth.updateUser({ password });

  // A change of address, to an existing and to a free one.
  const next = newAddress();
  await person.auth.updateUser({ email: (await signUpAndIn()).email });
  await person.auth.updateUser({ email: next });
  for (const address of [next, email]) {
    await person.auth.verifyOtp({ email: address, token: (await open(address)).code, type: 'email_change' });
  }

  // Calls of the server.
  const { admin } = client(backend.secretKey).auth;
  const guest = newAddress();
  await admin.inviteUserByEmail(guest);
  await open(guest);
  await admin.inviteUserByEmail(next);
  const { data: linked } = await admin.generateLink({ type: 'recovery', email: next });
  keep(linked.properties?.hashed_token);
  keep(linked.properties?.email_otp);
  const made = await admin.createUser({
    email: newAddress(),
    password: newPassword(),
    user_metadata: { a: newPassword() },
  });
  await admin.createUser({ id: made.data.user?.id, email: newAddress(), password: newPassword() });
  await admin.updateUserById(made.data.user?.id ?? '', {
    email: next,
    password: newPassword(),
    ban_duration: '1h',
  });
  await admin.deleteUser(made.data.user?.id ?? '');

  // Mails that cannot be sent. The invite returns an error, and the sign-in by mail does not.
  await admin.inviteUserByEmail(REFUSED);
  keep(REFUSED);
  await person.auth.signInWithOtp({ email: REFUSED });
  await expect.poll(() => backend.errors()).toContain('mail was not sent');

  // Malformed requests.
  for (const path of ['signup', 'token?grant_type=password', 'verify', 'otp', 'user', 'admin/users']) {
    for (const body of ['{', '[]', `{"email":["${newAddress()}"],"password":{"a":"${newPassword()}"}}`]) {
      const answer = await fetch(`${backend.url}/auth/v1/${path}`, {
        method: 'POST',
        headers: { apikey: backend.secretKey },
        body,
      });
      refusals.push(await answer.text());
    }
  }
  await person.auth.signOut();

  await backend.stop();
  expect(refusals.length).toBeGreaterThan(20);
  expect(secrets.size).toBeGreaterThan(40);
  const texts = { log: backend.errors(), output: backend.output(), refusals: refusals.join('\n') };
  for (const [where, text] of Object.entries(texts)) {
    expect([where, [...secrets].filter((secret) => text.includes(secret))]).toEqual([where, []]);
  }
  // No other errors were logged.
  expect(texts.log.replaceAll(/^A \w+ mail was not sent: .*$/gm, '').trim()).toBe('');
});
