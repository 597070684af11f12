import { describe, expect } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { type Actor, createUser, type TestContext, tryCall } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import { publishAs, rowOf, shownOf } from './persons.ts';

let context: TestContext;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
});

const x = (times: number) => 'x'.repeat(times);

describe('the name and bio of a person', () => {
  const save = ({ client }: Actor, content: unknown) => tryCall(client, 'save_me', { content });

  test('change everywhere, while the handle stays', async () => {
    const reporter = await createUser(context, 'reporter');
    const { handle } = await rowOf(context, reporter.id);
    const { update_id } = await publishAs(context, reporter);
    const content = { display_name: '  Ada  Byron ', bio: 'Now on bridges.\nAnd rivers.' };
    expect(await save(reporter, content)).toMatchObject({ code: 'ok', result: { id: reporter.id } });
    const shown = { handle, display_name: 'Ada Byron', bio: 'Now on bridges.\nAnd rivers.' };
    expect(await shownOf(context, reporter.id)).toEqual([shown]);
    expect((await reporter.client.rpc('get_me')).data).toEqual({
      id: reporter.id,
      role: 'reporter',
      ...shown,
    });
    const { data } = await context.actors.visitor.client
      .from('update_bylines')
      .select('people(display_name)')
      .eq('update_id', update_id);
    expect(data).toEqual([{ people: { display_name: 'Ada Byron' } }]);
  });

  test('stay when they are not sent, and the bio may be empty', async () => {
    const person = await createUser(context);
    await save(person, { bio: ' ' });
    expect(await rowOf(context, person.id)).toMatchObject({ display_name: 'Ada Löve', bio: '' });
    await save(person, { display_name: 'Bo' });
    expect(await rowOf(context, person.id)).toMatchObject({ display_name: 'Bo', bio: '' });
    expect(await save(person, {})).toMatchObject({ code: 'ok' });
  });

  test.each([
    ['evil\u202etxt', 'evil txt'],
    ['\u200fAda\u061c', 'Ada'],
    ['Ada \u2067 Byron', 'Ada Byron'],
    ['Ada\r\nByron', 'Ada Byron'],
    [x(LIMITS.display_name), x(LIMITS.display_name)],
    ['👩‍🚀 山田', '👩‍🚀 山田'],
  ])('store %o as %o', async (display_name, kept) => {
    const person = await createUser(context);
    expect(await save(person, { display_name })).toMatchObject({ code: 'ok' });
    expect(await rowOf(context, person.id)).toMatchObject({ display_name: kept });
  });

  test.each([
    [{ display_name: '' }, 'display_name'],
    [{ display_name: null }, 'display_name'],
    [{ display_name: '\u200b\u202e' }, 'display_name'],
    [{ display_name: x(LIMITS.display_name + 1) }, 'display_name'],
    [{ display_name: 42 }, 'display_name'],
    [{ bio: x(LIMITS.bio + 1) }, 'bio'],
    [{ bio: 'a\u0007b' }, 'bio'],
    [{ bio: ['text'] }, 'bio'],
    [{ handle: 'owner' }, 'handle'],
    [{ role: 'owner' }, 'role'],
    [{ active: true }, 'active'],
    [[], 'content'],
    [null, 'content'],
  ])('refuses %o and names its field', async (content, field) => {
    const { reader } = context.actors;
    const before = await rowOf(context, String(reader.id));
    expect(await save(reader, content)).toMatchObject({ code: 'invalid', status: 422, field });
    expect(await rowOf(context, String(reader.id))).toEqual(before);
  });

  test('are not stored with idempotency keys', async () => {
    const person = await createUser(context);
    expect((await save(person, { display_name: 'Secret Name' })).result).toEqual({ id: person.id });
  });
});
