import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  contentOf,
  createCoverage,
  createUser,
  openTestContext,
  readCoverageRows,
  type TestContext,
  type TestUser,
  tryCall,
} from '../../support/actors.ts';
import { anonClient, signUp } from '../../support/backend.ts';
import { type Catalog, openCatalog } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';
import { publishAs, rowOf, shownOf } from './persons.ts';

let context: TestContext;
let catalog: Catalog;
beforeAll(async () => {
  [context, catalog] = [await openTestContext(), await openCatalog()];
});
afterAll(async () => {
  await catalog.close();
  await context.stop();
});

const PASSWORD = 'correct horse battery';

const remove = ({ id }: { id: string }) => tryCall(context.service, 'delete_account', { person_id: id });

const bylinesOf = async (update_id: string) => {
  const { data } = await context.service.from('desk_updates').select('bylines').eq('id', update_id).single();
  return (data as { bylines: { display_name: string }[] }).bylines.map(({ display_name }) => display_name);
};

describe('a deleted account', () => {
  const signIn = (email: string) =>
    anonClient(context.backend).auth.signInWithPassword({ email, password: PASSWORD });

  test('of a reader leaves no name', async () => {
    const reader = await createUser(context, 'reader', 'Unusual Name');
    const { created_at } = await rowOf(context, reader.id);
    expect(await remove(reader)).toMatchObject({ code: 'ok', result: { id: reader.id } });
    expect(await rowOf(context, reader.id)).toEqual({
      id: reader.id,
      handle: expect.stringMatching(/^gone-[0-9a-f]{16}$/),
      display_name: 'Deleted account',
      bio: '',
      role: 'reader',
      active: false,
      bylined_at: null,
      created_at,
      deleted_at: expect.any(String),
    });
    expect(await shownOf(context, reader.id)).toEqual([]);
    expect((await signIn(reader.email)).error).toMatchObject({ code: 'invalid_credentials' });
  });

  test('of a person with bylines keeps name, handle and texts, but no bio', async () => {
    const reporter = await createUser(context, 'reporter', 'Signed Name');
    const { handle } = await rowOf(context, reporter.id);
    const { coverage_id, update_id } = await publishAs(context, reporter);
    const before = await readCoverageRows(context.service, coverage_id);
    expect(await remove(reporter)).toMatchObject({ code: 'ok' });
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
    expect(await bylinesOf(update_id)).toEqual(['Signed Name']);
    expect(await shownOf(context, reporter.id)).toEqual([{ handle, display_name: 'Signed Name', bio: '' }]);
    expect(await rowOf(context, reporter.id)).toMatchObject({ role: 'reader', active: false });
  });

  test('keeps its handle reserved', async () => {
    const name = `Only ${randomUUID().slice(0, 8)}`;
    const signedUp = async () => {
      const client = anonClient(context.backend);
      const email = `${randomUUID()}@example.com`;
      const { data } = await client.auth.signUp({
        email,
        password: PASSWORD,
        options: { data: { display_name: name } },
      });
      return { id: String(data.user?.id), client };
    };
    const first = await signedUp();
    await call(context.service, 'set_role', { person_id: first.id, role: 'reporter' });
    const { handle } = await rowOf(context, first.id);
    await publishAs(context, first);
    await remove(first);
    const second = await signedUp();
    expect((await rowOf(context, first.id)).handle).toBe(handle);
    expect((await rowOf(context, second.id)).handle).toMatch(new RegExp(`^${handle}-`));
  });

  test('leaves its draft at the desk, without a byline that was never published', async () => {
    const { editor } = context.actors;
    const reporter = await createUser(context, 'reporter', 'Never Signed');
    const coverage_id = await createCoverage(context.service);
    const draft = { coverage_id, update_id: randomUUID(), content: contentOf('Half a sentence') };
    await call(reporter.client, 'save_update', draft);
    expect(await bylinesOf(draft.update_id)).toEqual(['Never Signed']);
    await remove(reporter);
    expect(await bylinesOf(draft.update_id)).toEqual([]);
    const named = { ...draft, version: 1, content: contentOf('Whole.', { bylines: [reporter.id] }) };
    expect(await tryCall(editor.client, 'publish_update', named)).toMatchObject({
      code: 'invalid',
      field: 'bylines',
    });
    expect(
      await tryCall(editor.client, 'publish_update', { ...named, content: contentOf('Whole.') }),
    ).toMatchObject({
      code: 'ok',
    });
    expect(await bylinesOf(draft.update_id)).toEqual([]);
    expect(await shownOf(context, reporter.id)).toEqual([]);
  });

  test('keeps the byline on a draft of a person with earlier bylines', async () => {
    const reporter = await createUser(context, 'reporter', 'Known Name');
    await publishAs(context, reporter);
    const coverage_id = await createCoverage(context.service);
    const draft = { coverage_id, update_id: randomUUID(), content: contentOf('Half a sentence') };
    await call(reporter.client, 'save_update', draft);
    await remove(reporter);
    const whole = { ...draft, version: 1, content: contentOf('Whole.') };
    await call(context.actors.editor.client, 'publish_update', whole);
    expect(await bylinesOf(draft.update_id)).toEqual(['Known Name']);
  });

  test('loses its memberships', async () => {
    const contributor = await createUser(context, 'contributor');
    const coverage_id = await createCoverage(context.service);
    await call(context.service, 'set_coverage_member', { coverage_id, person_id: contributor.id });
    await remove(contributor);
    const { data } = await context.service.from('coverage_members').select().eq('person_id', contributor.id);
    expect(data).toEqual([]);
  });

  test('cannot be restored, and a new account with its address is another person', async () => {
    const first = await createUser(context, 'editor');
    await remove(first);
    for (const [act, args] of [
      ['set_role', { role: 'owner' }],
      ['set_active', { active: true }],
    ] as const) {
      expect(await tryCall(context.actors.owner.client, act, { person_id: first.id, ...args })).toMatchObject(
        {
          code: 'not_found',
          status: 404,
        },
      );
    }
    const { user } = await signUp(context.backend, { email: first.email, password: PASSWORD });
    expect(user.id).not.toBe(first.id);
    expect(await rowOf(context, user.id)).toMatchObject({ role: 'reader', active: true });
    expect(await rowOf(context, first.id)).toMatchObject({ role: 'reader', active: false });
  });

  test('leaves the same rows when the server deletes it', async () => {
    const [reader, reporter] = [
      await createUser(context, 'reader', 'Unusual Name'),
      await createUser(context, 'reporter', 'Signed Name'),
    ];
    const { handle } = await rowOf(context, reporter.id);
    await publishAs(context, reporter);
    for (const { id } of [reader, reporter]) {
      expect((await context.service.auth.admin.deleteUser(id)).error).toBeNull();
      expect(await rowOf(context, id)).toMatchObject({ role: 'reader', active: false, bio: '' });
      expect((await context.service.auth.admin.deleteUser(id)).error).toMatchObject({
        code: 'user_not_found',
      });
    }
    expect((await rowOf(context, reader.id)).display_name).toBe('Deleted account');
    expect(await rowOf(context, reporter.id)).toMatchObject({ handle, display_name: 'Signed Name' });
  });

  test('leaves the same rows when the auth service deletes it softly, as a hosted one can', async () => {
    const [person] = await catalog.rolledBack(async (session) => {
      const id = randomUUID();
      const data = JSON.stringify({ display_name: 'Unusual Name' });
      await session.query(
        'insert into auth.users (id, email, raw_user_meta_data) values ($1, $2, $3::text::jsonb)',
        [id, 'a@x.example', data],
      );
      await session.query('update auth.users set deleted_at = now() where id = $1', [id]);
      return (await session.query('select display_name, active from public.people where id = $1', [id])).rows;
    });
    expect(person).toEqual({ display_name: 'Deleted account', active: false });
  });

  it('is deleted once', async () => {
    const reader = await createUser(context);
    const outcomes = await Promise.all([remove(reader), remove(reader)]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual(['not_found', 'ok']);
    expect(await remove(reader)).toMatchObject({ code: 'not_found', status: 404 });
  });

  it('cannot be deleted with an access token alone', async () => {
    const other = await createUser(context);
    for (const role of ['reader', 'editor', 'owner'] as const) {
      const person = await createUser(context, role);
      for (const args of [{}, { person_id: person.id }, { person_id: other.id }]) {
        const outcome = await tryCall(person.client, 'delete_account', args);
        expect(['PGRST202', 'denied'], JSON.stringify(outcome)).toContain(outcome.code);
      }
      expect(await rowOf(context, person.id)).toMatchObject({ active: true, deleted_at: null });
      expect((await signIn(person.email)).error).toBeNull();
    }
    expect(await rowOf(context, other.id)).toMatchObject({ deleted_at: null });
  });

  it('appears in the activity log as deleted by its person', async () => {
    const reader = await createUser(context);
    await remove(reader);
    const { data } = await context.actors.owner.client.rpc('desk_log', {
      person: reader.id,
      action_name: 'delete_account',
    });
    expect(data).toMatchObject([{ created_by: reader.id, person_id: reader.id }]);
  });
});

describe("the last owner's account", () => {
  const owners = async () =>
    (
      (await context.service.from('people').select('id').eq('role', 'owner').eq('active', true)).data ?? []
    ).map(({ id }) => id as string);
  /** Leaves only these people as owners. */
  async function only(...remaining: TestUser[]) {
    for (const id of await owners()) {
      if (!remaining.some((owner) => owner.id === id))
        await call(context.service, 'set_role', { person_id: id, role: 'editor' });
    }
  }

  test('stays unchanged', async () => {
    const owner = await createUser(context, 'owner');
    await only(owner);
    const before = await rowOf(context, owner.id);
    expect(await remove(owner)).toMatchObject({ code: 'bad_state', status: 409 });
    for (const softly of [false, true]) {
      const { error } = await context.service.auth.admin.deleteUser(owner.id, softly);
      expect(error).toMatchObject({ status: 409, code: 'bad_state' });
    }
    expect(await rowOf(context, owner.id)).toEqual(before);
    expect((await owner.client.rpc('get_me')).data).toMatchObject({ role: 'owner' });
  });

  test('stays when two owners leave, or remove each other, at the same time', async () => {
    for (const other of [
      (self: TestUser, _of: TestUser) => remove(self),
      ({ client }: TestUser, of: TestUser) =>
        tryCall(client, 'set_role', { person_id: of.id, role: 'reader' }),
      ({ client }: TestUser, of: TestUser) =>
        tryCall(client, 'set_active', { person_id: of.id, active: false }),
    ]) {
      const [first, second] = [await createUser(context, 'owner'), await createUser(context, 'owner')];
      await only(first, second);
      await Promise.all([remove(first), other(second, first)]);
      expect(await owners()).toHaveLength(1);
    }
  });

  test('can be deleted when there is another owner', async () => {
    const [first, second] = [await createUser(context, 'owner'), await createUser(context, 'owner')];
    expect(await remove(first)).toMatchObject({ code: 'ok' });
    expect(await owners()).toContain(second.id);
  });

  test('stays when the other owner is inactive', async () => {
    const [first, second] = [await createUser(context, 'owner'), await createUser(context, 'owner')];
    await only(first, second);
    await call(first.client, 'set_active', { person_id: second.id, active: false });
    expect(await remove(first)).toMatchObject({ code: 'bad_state' });
  });
});
