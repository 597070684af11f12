import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { ACTOR_NAMES, type TestContext } from '../../support/actors.ts';
import { anonClient, signUp } from '../../support/backend.ts';
import { test } from '../../support/backend-test.ts';

let context: TestContext;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
});

const x = (times: number) => 'x'.repeat(times);

describe('a person who signs up', () => {
  const signedUpAs = async (display_name: unknown) => {
    const email = `${randomUUID()}@example.com`;
    const { data, error } = await anonClient(context.backend).auth.signUp({
      email,
      password: 'correct horse battery',
      options: { data: { display_name } },
    });
    expect(error).toBeNull();
    return (await context.service.from('people').select('*').eq('id', data.user?.id).single()).data;
  };

  test.each([
    ['Ada Löve', 'Ada Löve', /^ada-l-ve/],
    ['  Ada\t\nLove ', 'Ada Love', /^ada-love/],
    [undefined, 'Reader', /^person/],
    ['\u200b\u00a0', 'Reader', /^person/],
    ['evil\u202etxt', 'evil txt', /^evil-txt/],
    [x(200), x(LIMITS.display_name), /^x+(-|$)/],
    ['山田', '山田', /^person/],
    [42, '42', /^person/],
  ])('as %o becomes a reader with a valid name and handle', async (asked, display_name, handle) => {
    const person = await signedUpAs(asked);
    expect(person).toMatchObject({ display_name, role: 'reader', active: true, bylined_at: null });
    expect(person.handle).toMatch(handle);
    expect(person.handle).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(person.handle.length).toBeLessThanOrEqual(LIMITS.handle_max);
  });

  test('gets no role from the metadata of the request', async () => {
    const { data } = await anonClient(context.backend).auth.signUp({
      email: `${randomUUID()}@example.com`,
      password: 'correct horse battery',
      options: { data: { role: 'owner', app_metadata: { role: 'owner' }, handle: 'owner' } },
    });
    const { data: person } = await context.service
      .from('people')
      .select('*')
      .eq('id', data.user?.id)
      .single();
    expect(person).toMatchObject({ role: 'reader' });
  });

  test('may share a name with others, but no handle', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => signedUpAs('Same Name')));
    expect(new Set(people.map(({ handle }) => handle)).size).toBe(6);
  });

  test(`needs a password of ${LIMITS.password_min} characters`, async () => {
    await expect(signUp(context.backend, { password: x(LIMITS.password_min - 1) })).rejects.toMatchObject({
      code: 'weak_password',
    });
    await signUp(context.backend, { password: x(LIMITS.password_min) });
  });
});

describe('get_me', () => {
  test.each(ACTOR_NAMES)('returns the person, or an error, for %s', async (who) => {
    const { client, id } = context.actors[who];
    const { data, error } = await client.rpc('get_me');
    if (who === 'visitor') expect(error?.code).toBe('42501');
    else if (who === 'deactivated') expect(error?.code).toBe('PT401');
    else expect(data).toMatchObject({ id, role: expect.any(String) });
  });
});
