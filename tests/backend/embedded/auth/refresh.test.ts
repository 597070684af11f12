import { describe, expect } from 'vitest';
import { anonClient, signUp, type TestBackend } from '../../../support/backend.ts';
import { test } from '../probe.ts';

let backend: TestBackend;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
});

async function begin() {
  const { data } = await (await signUp(backend)).client.auth.getSession();
  if (!data.session) throw new Error('The client has a session.');
  return data.session;
}

const refresh = async (refresh_token: string) => {
  const { data, error } = await anonClient(backend).auth.refreshSession({ refresh_token });
  return { code: error?.code, next: data.session?.refresh_token ?? '', access: data.session?.access_token };
};
const isAlive = async (access: string | undefined) =>
  (await anonClient(backend).auth.getUser(access)).error === null;

describe('a refresh token', () => {
  test('is exchanged for the next one', async () => {
    const session = await begin();
    const second = await refresh(session.refresh_token);
    expect(second.code).toBeUndefined();
    expect(second.next).not.toBe(session.refresh_token);
    const third = await refresh(second.next);
    expect(third.next).not.toBe(second.next);
    expect(await isAlive(third.access)).toBe(true);
  });

  test('can be repeated after a lost response, with the same result', async () => {
    const session = await begin();
    const lost = await refresh(session.refresh_token);
    const again = await refresh(session.refresh_token);
    expect(again).toMatchObject({ code: undefined, next: lost.next });
    expect((await refresh(again.next)).code).toBeUndefined();
  });

  test('that is older ends the session at once', async () => {
    const session = await begin();
    const second = await refresh(session.refresh_token);
    const third = await refresh(second.next);
    expect((await refresh(session.refresh_token)).code).toBe('refresh_token_already_used');
    expect(await isAlive(third.access)).toBe(false);
    expect((await refresh(third.next)).code).toBe('refresh_token_not_found');
  });

  test('used concurrently returns the same next token', async () => {
    const session = await begin();
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(session.refresh_token)));
    expect(all.map(({ code }) => code)).toEqual(Array(8).fill(undefined));
    expect(new Set(all.map(({ next }) => next)).size).toBe(1);
    expect((await refresh(all[0]?.next ?? '')).code).toBeUndefined();
  });

  test('ends only its own session when it is reused', async () => {
    const { client, user } = await signUp(backend, { password: 'correct horse battery' });
    const other = anonClient(backend);
    await other.auth.signInWithPassword({ email: user.email ?? '', password: 'correct horse battery' });
    const first = (await client.auth.getSession()).data.session?.refresh_token ?? '';
    await refresh((await refresh(first)).next);
    expect((await refresh(first)).code).toBe('refresh_token_already_used');
    expect((await other.auth.refreshSession()).error).toBeNull();
  });

  test('of an ended or unknown session is refused', async () => {
    const { client } = await signUp(backend);
    const { data } = await client.auth.getSession();
    await client.auth.signOut({ scope: 'local' });
    expect((await refresh(data.session?.refresh_token ?? '')).code).toBe('refresh_token_not_found');
    expect((await refresh('nothing that we gave')).code).toBe('refresh_token_not_found');
  });
});

test.each(['', 'constructor', '__proto__'])('the grant type %j is refused', async (type) => {
  const answer = await fetch(`${backend.url}/auth/v1/token?grant_type=${type}`, {
    method: 'POST',
    headers: { apikey: backend.publishableKey },
    body: '{}',
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error_code: 'invalid_credentials',
    msg: 'unsupported_grant_type',
  });
});
