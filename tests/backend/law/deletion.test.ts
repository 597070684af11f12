import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  type Courtroom,
  type Hired,
  hire,
  makeCoverage,
  openCourtroom,
  press,
  recordOf,
  says,
} from '../../support/actors.ts';
import { anonClient, signUp } from '../../support/backend.ts';
import { type Catalog, openCatalog } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';
import { publishAs, rowOf, shownOf } from './persons.ts';

let court: Courtroom;
let catalog: Catalog;
beforeAll(async () => {
  [court, catalog] = [await openCourtroom(), await openCatalog()];
});
afterAll(async () => {
  await catalog.close();
  await court.stop();
});

const PASSWORD = 'correct horse battery';

const remove = ({ id }: { id: string }) => press(court.service, 'delete_account', { person_id: id });

const bylinesOf = async (update_id: string) => {
  const { data } = await court.service.from('desk_updates').select('bylines').eq('id', update_id).single();
  return (data as { bylines: { display_name: string }[] }).bylines.map(({ display_name }) => display_name);
};

describe('an account that is deleted', () => {
  const signIn = (email: string) =>
    anonClient(court.backend).auth.signInWithPassword({ email, password: PASSWORD });

  test('of a reader leaves no name behind', async () => {
    const reader = await hire(court, 'reader', 'Unusual Name');
    const { created_at } = await rowOf(court, reader.id);
    expect(await remove(reader)).toMatchObject({ code: 'ok', result: { id: reader.id } });
    expect(await rowOf(court, reader.id)).toEqual({
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
    expect(await shownOf(court, reader.id)).toEqual([]);
    expect((await signIn(reader.email)).error).toMatchObject({ code: 'invalid_credentials' });
  });

  test('of who was bylined keeps name, handle and every word, and no bio', async () => {
    const reporter = await hire(court, 'reporter', 'Signed Name');
    const { handle } = await rowOf(court, reporter.id);
    const { coverage_id, update_id } = await publishAs(court, reporter);
    const before = await recordOf(court.service, coverage_id);
    expect(await remove(reporter)).toMatchObject({ code: 'ok' });
    expect(await recordOf(court.service, coverage_id)).toEqual(before);
    expect(await bylinesOf(update_id)).toEqual(['Signed Name']);
    expect(await shownOf(court, reporter.id)).toEqual([{ handle, display_name: 'Signed Name', bio: '' }]);
    expect(await rowOf(court, reporter.id)).toMatchObject({ role: 'reader', active: false });
  });

  test('keeps its handle from everybody else', async () => {
    const name = `Only ${randomUUID().slice(0, 8)}`;
    const signedUp = async () => {
      const client = anonClient(court.backend);
      const email = `${randomUUID()}@example.com`;
      const { data } = await client.auth.signUp({
        email,
        password: PASSWORD,
        options: { data: { display_name: name } },
      });
      return { id: String(data.user?.id), client };
    };
    const first = await signedUp();
    await call(court.service, 'set_role', { person_id: first.id, role: 'reporter' });
    const { handle } = await rowOf(court, first.id);
    await publishAs(court, first);
    await remove(first);
    const second = await signedUp();
    expect((await rowOf(court, first.id)).handle).toBe(handle);
    expect((await rowOf(court, second.id)).handle).toMatch(new RegExp(`^${handle}-`));
  });

  test('leaves its draft at the desk, without a byline that nobody has any more', async () => {
    const { editor } = court.parties;
    const reporter = await hire(court, 'reporter', 'Never Signed');
    const coverage_id = await makeCoverage(court.service);
    const draft = { coverage_id, update_id: randomUUID(), content: says('Half a sentence') };
    await call(reporter.client, 'save_update', draft);
    expect(await bylinesOf(draft.update_id)).toEqual(['Never Signed']);
    await remove(reporter);
    expect(await bylinesOf(draft.update_id)).toEqual([]);
    const named = { ...draft, version: 1, content: says('Whole.', { bylines: [reporter.id] }) };
    expect(await press(editor.client, 'publish_update', named)).toMatchObject({
      code: 'invalid',
      field: 'bylines',
    });
    expect(await press(editor.client, 'publish_update', { ...named, content: says('Whole.') })).toMatchObject(
      {
        code: 'ok',
      },
    );
    expect(await bylinesOf(draft.update_id)).toEqual([]);
    expect(await shownOf(court, reporter.id)).toEqual([]);
  });

  test('leaves the byline of who was known already on a draft', async () => {
    const reporter = await hire(court, 'reporter', 'Known Name');
    await publishAs(court, reporter);
    const coverage_id = await makeCoverage(court.service);
    const draft = { coverage_id, update_id: randomUUID(), content: says('Half a sentence') };
    await call(reporter.client, 'save_update', draft);
    await remove(reporter);
    const whole = { ...draft, version: 1, content: says('Whole.') };
    await call(court.parties.editor.client, 'publish_update', whole);
    expect(await bylinesOf(draft.update_id)).toEqual(['Known Name']);
  });

  test('loses its places', async () => {
    const contributor = await hire(court, 'contributor');
    const coverage_id = await makeCoverage(court.service);
    await call(court.service, 'set_coverage_member', { coverage_id, person_id: contributor.id });
    await remove(contributor);
    const { data } = await court.service.from('coverage_members').select().eq('person_id', contributor.id);
    expect(data).toEqual([]);
  });

  test('cannot be brought back: who comes again under its address is somebody else', async () => {
    const first = await hire(court, 'editor');
    await remove(first);
    for (const [act, args] of [
      ['set_role', { role: 'owner' }],
      ['set_active', { active: true }],
    ] as const) {
      expect(await press(court.parties.owner.client, act, { person_id: first.id, ...args })).toMatchObject({
        code: 'not_found',
        status: 404,
      });
    }
    const { user } = await signUp(court.backend, { email: first.email, password: PASSWORD });
    expect(user.id).not.toBe(first.id);
    expect(await rowOf(court, user.id)).toMatchObject({ role: 'reader', active: true });
    expect(await rowOf(court, first.id)).toMatchObject({ role: 'reader', active: false });
  });

  test('leaves the same when the server deletes it', async () => {
    const [reader, reporter] = [
      await hire(court, 'reader', 'Unusual Name'),
      await hire(court, 'reporter', 'Signed Name'),
    ];
    const { handle } = await rowOf(court, reporter.id);
    await publishAs(court, reporter);
    for (const { id } of [reader, reporter]) {
      expect((await court.service.auth.admin.deleteUser(id)).error).toBeNull();
      expect(await rowOf(court, id)).toMatchObject({ role: 'reader', active: false, bio: '' });
      expect((await court.service.auth.admin.deleteUser(id)).error).toMatchObject({ code: 'user_not_found' });
    }
    expect((await rowOf(court, reader.id)).display_name).toBe('Deleted account');
    expect(await rowOf(court, reporter.id)).toMatchObject({ handle, display_name: 'Signed Name' });
  });

  test('leaves the same when the auth service deletes it softly, as a hosted one can', async () => {
    const [person] = await catalog.tried(async (session) => {
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
    const reader = await hire(court);
    const outcomes = await Promise.all([remove(reader), remove(reader)]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual(['not_found', 'ok']);
    expect(await remove(reader)).toMatchObject({ code: 'not_found', status: 404 });
  });

  it('cannot be deleted with an access token alone', async () => {
    const other = await hire(court);
    for (const role of ['reader', 'editor', 'owner'] as const) {
      const person = await hire(court, role);
      for (const args of [{}, { person_id: person.id }, { person_id: other.id }]) {
        const outcome = await press(person.client, 'delete_account', args);
        expect(['PGRST202', 'denied'], JSON.stringify(outcome)).toContain(outcome.code);
      }
      expect(await rowOf(court, person.id)).toMatchObject({ active: true, deleted_at: null });
      expect((await signIn(person.email)).error).toBeNull();
    }
    expect(await rowOf(court, other.id)).toMatchObject({ deleted_at: null });
  });

  it('is named in the activity log as deleted by its person', async () => {
    const reader = await hire(court);
    await remove(reader);
    const { data } = await court.parties.owner.client.rpc('desk_log', {
      person: reader.id,
      did: 'delete_account',
    });
    expect(data).toMatchObject([{ by: reader.id, person_id: reader.id }]);
  });
});

describe("the last owner's account", () => {
  const owners = async () =>
    ((await court.service.from('people').select('id').eq('role', 'owner').eq('active', true)).data ?? []).map(
      ({ id }) => id as string,
    );
  /** Leaves these and nobody else as owners. */
  async function only(...wanted: Hired[]) {
    for (const id of await owners()) {
      if (!wanted.some((owner) => owner.id === id))
        await call(court.service, 'set_role', { person_id: id, role: 'editor' });
    }
  }

  test('stays, with everything in it', async () => {
    const owner = await hire(court, 'owner');
    await only(owner);
    const before = await rowOf(court, owner.id);
    expect(await remove(owner)).toMatchObject({ code: 'bad_state', status: 409 });
    for (const softly of [false, true]) {
      const { error } = await court.service.auth.admin.deleteUser(owner.id, softly);
      expect(error).toMatchObject({ status: 409, code: 'bad_state' });
    }
    expect(await rowOf(court, owner.id)).toEqual(before);
    expect((await owner.client.rpc('me')).data).toMatchObject({ role: 'owner' });
  });

  test('stays when two owners leave at once, or one removes the other meanwhile', async () => {
    for (const other of [
      (self: Hired, _of: Hired) => remove(self),
      ({ client }: Hired, of: Hired) => press(client, 'set_role', { person_id: of.id, role: 'reader' }),
      ({ client }: Hired, of: Hired) => press(client, 'set_active', { person_id: of.id, active: false }),
    ]) {
      const [first, second] = [await hire(court, 'owner'), await hire(court, 'owner')];
      await only(first, second);
      await Promise.all([remove(first), other(second, first)]);
      expect(await owners()).toHaveLength(1);
    }
  });

  test('is not the last when another owner is there', async () => {
    const [first, second] = [await hire(court, 'owner'), await hire(court, 'owner')];
    expect(await remove(first)).toMatchObject({ code: 'ok' });
    expect(await owners()).toContain(second.id);
  });

  test('is the last when the other owner is not active', async () => {
    const [first, second] = [await hire(court, 'owner'), await hire(court, 'owner')];
    await only(first, second);
    await call(first.client, 'set_active', { person_id: second.id, active: false });
    expect(await remove(first)).toMatchObject({ code: 'bad_state' });
  });
});
