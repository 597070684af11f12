import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serviceClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { call } from '../../support/newsroom.ts';

const digest = (code: string) => createHash('sha256').update(code).digest('hex');
const [FIRST, SECOND] = [digest('first'), digest('second')];

/** The setup functions as the site's server calls them. */
function serverOf(backend: TestBackend) {
  const service = serviceClient(backend);
  return {
    service,
    offer: (code_hash: string | null) => service.rpc('offer_setup', { code_hash }),
    isOpen: async (code_hash?: string) => (await service.rpc('is_setup_open', { code_hash })).data,
    setUp: (code_hash: string | null, person_id: string | null) =>
      service.rpc('create_first_owner', { code_hash, person_id }),
    someone: async () => (await signUp(backend)).user.id,
    owners: async () =>
      (await service.from('people').select('id').eq('role', 'owner')).data?.map(({ id }) => id),
  };
}

/** Starts a backend without an owner, for a test that creates one. */
async function newNewsroom() {
  const backend = await startBackend();
  onTestFinished(async () => void (await backend.stop()));
  return serverOf(backend);
}

describe('a newsroom without an owner', () => {
  let backend: TestBackend;
  let server: ReturnType<typeof serverOf>;
  beforeAll(async () => {
    backend = await startBackend();
    server = serverOf(backend);
  });
  afterAll(() => backend.stop());

  test.each([null, '', 'first', FIRST.toUpperCase(), `${FIRST}\n`, `${FIRST}0`])(
    'refuses codes such as %o',
    async (code) => {
      expect(await server.offer(code)).toMatchObject({ status: 422, error: { message: 'invalid' } });
      expect(await server.isOpen()).toBe(false);
      expect(await server.setUp(code, await server.someone())).toMatchObject({ status: 403 });
    },
  );

  test('accepts the newest code, compared by digest', async () => {
    expect((await server.offer(FIRST)).data).toBe(true);
    expect((await server.offer(SECOND)).data).toBe(true);
    expect(await Promise.all([server.isOpen(), server.isOpen(FIRST), server.isOpen(SECOND)])).toEqual([
      true,
      false,
      true,
    ]);
    expect(await server.setUp(FIRST, await server.someone())).toMatchObject({
      status: 403,
      error: { message: 'forbidden' },
    });
    expect(await server.owners()).toEqual([]);
  });

  test('keeps its code when the person is missing, inactive or deleted', async () => {
    await server.offer(FIRST);
    const [inactive, gone] = [await server.someone(), await signUp(backend)];
    await call(server.service, 'set_active', { person_id: inactive, active: false });
    await call(server.service, 'delete_account', { person_id: gone.user.id });
    for (const id of [randomUUID(), null, inactive, gone.user.id]) {
      expect(await server.setUp(FIRST, id)).toMatchObject({ status: 404, error: { message: 'not_found' } });
    }
    expect(await server.isOpen(FIRST)).toBe(true);
    expect(await server.owners()).toEqual([]);
  });
});

test('the person with the code becomes owner, once', async () => {
  const { offer, isOpen, setUp, someone, owners } = await newNewsroom();
  await offer(FIRST);
  const [ada, bo] = [await someone(), await someone()];
  expect((await setUp(FIRST, ada)).data).toEqual({ id: ada, role: 'owner' });
  expect(await Promise.all([isOpen(), isOpen(FIRST)])).toEqual([false, false]);
  for (const person of [ada, bo]) {
    expect(await setUp(FIRST, person)).toMatchObject({ status: 404, error: { message: 'not_found' } });
  }
  expect((await offer(SECOND)).data).toBe(false);
  expect(await setUp(SECOND, bo)).toMatchObject({ status: 404 });
  expect(await owners()).toEqual([ada]);
});

test('only one of several concurrent people with the code becomes owner', async () => {
  const { offer, setUp, someone, owners } = await newNewsroom();
  await offer(FIRST);
  const people = [await someone(), await someone(), await someone()];
  const outcomes = await Promise.all(people.map((id) => setUp(FIRST, id)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  expect(await owners()).toHaveLength(1);
});

test('a newsroom with an owner offers no setup, and keeps its last owner', async () => {
  const { service, offer, isOpen, setUp, someone } = await newNewsroom();
  await offer(FIRST);
  const owner = await someone();
  await call(service, 'set_role', { person_id: owner, role: 'owner' });
  expect(await Promise.all([isOpen(), isOpen(FIRST)])).toEqual([false, false]);
  expect(await setUp(FIRST, await someone())).toMatchObject({ status: 404 });
  const lost = await service.rpc('set_active', {
    idempotency_key: randomUUID(),
    person_id: owner,
    active: false,
  });
  expect(lost.error).toMatchObject({ message: 'bad_state' });
  expect((await offer(SECOND)).data).toBe(false);
});
