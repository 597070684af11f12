import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serviceClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { PROBE_SCHEMA } from './probe.ts';

let backend: TestBackend;
let token: string;
beforeAll(async () => {
  backend = await startBackend({ migrations: PROBE_SCHEMA });
  const { client } = await signUp(backend, {
    email: 'member@example.com',
    password: 'correct horse battery',
  });
  token = (await client.auth.getSession()).data.session?.access_token ?? '';
});
afterAll(() => backend.stop());

async function call(name: string, ms: number, more: { token?: string; key?: string } = {}) {
  const began = performance.now();
  const answer = await fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: {
      apikey: more.key ?? backend.publishableKey,
      'content-type': 'application/json',
      ...(more.token && { authorization: `Bearer ${more.token}` }),
    },
    body: JSON.stringify({ ms }),
  });
  return {
    status: answer.status,
    body: await answer.json(),
    seconds: (performance.now() - began) / 1000,
  };
}

const computed = async () => {
  const read = () => serviceClient(backend).from('computed').select('ms');
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe(200);
  return ((await read()).data ?? []).map(({ ms }) => ms);
};

const TIMEOUT = { status: 504, body: { code: '57014', message: 'timeout' } };

describe('a statement above the time limit of its role', { timeout: 120_000 }, () => {
  test('ends after three seconds for a visitor, and changes nothing', async () => {
    const answer = await call('compute', 100_000);
    expect(answer).toMatchObject(TIMEOUT);
    expect(answer.seconds).toBeGreaterThan(2.9);
    expect(await computed()).not.toContain(100_000);
    expect((await call('who_am_i', 0)).status).not.toBe(503);
  });

  test('ends later for a signed-in user', async () => {
    const answer = await call('compute', 100_000, { token });
    expect(answer).toMatchObject(TIMEOUT);
    expect(answer.seconds).toBeGreaterThan(ENGINE === 'postgres' ? 7.9 : 4.9);
    expect(await computed()).not.toContain(100_000);
  });

  test('ends in a policy for files as well, and is refused to the same person for a while', async () => {
    await serviceClient(backend).storage.from('computing').upload('a.txt', 'a');
    const list = async () => {
      const answer = await fetch(`${backend.url}/storage/v1/object/list/computing`, {
        method: 'POST',
        headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
        body: JSON.stringify({ prefix: '' }),
      });
      return { status: answer.status, again: answer.headers.get('retry-after') !== null };
    };
    expect(await list()).toEqual({ status: 504, again: false });
    expect(await computed()).not.toContain(100_000);
    expect(await list()).toEqual({ status: 429, again: true });
  });

  test.skipIf(ENGINE !== 'postgres')('ends earlier if the function says so', async () => {
    const answer = await call('compute_briefly', 2_900, { token });
    expect(answer).toMatchObject(TIMEOUT);
    expect(answer.seconds).toBeLessThan(2.9);
  });

  test('continues if the function says so', async () => {
    expect(await call('compute_for_long', 6_000)).toMatchObject({ status: 200, body: 'done' });
    expect(await computed()).toContain(6_000);
  });
});
