import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { ACTOR_NAMES, openTestContext, type TestContext } from '../../support/actors.ts';
import { anonClient, signUp } from '../../support/backend.ts';
import { apiTables, type Catalog, openCatalog, relationsOf } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';

let context: TestContext;
let catalog: Catalog;
let tables: ReturnType<typeof apiTables>;
beforeAll(async () => {
  [context, catalog] = [await openTestContext(), await openCatalog()];
  tables = apiTables(await relationsOf(catalog));
});
afterAll(async () => {
  await catalog.close();
  await context.stop();
});

type Row = { id: string; handle: string; display_name: string; role: string; active: boolean; email: string };

const list = async (args: Record<string, unknown> = {}) => {
  const { data, error } = await context.actors.owner.client.rpc('desk_people', args);
  if (error) throw new Error(`${error.code} ${error.message}`);
  return data as Row[];
};

async function signUpAs(display_name: string, email = `${randomUUID()}@example.com`) {
  const { data } = await anonClient(context.backend).auth.signUp({
    email,
    password: 'correct horse battery',
    options: { data: { display_name } },
  });
  return String(data.user?.id);
}

const ROLES = ['owner', 'editor', 'moderator', 'reporter', 'contributor', 'reader'];

describe('the list of people', () => {
  test('contains everyone with an account and address, staff first', async () => {
    const everyone = await list();
    expect(everyone.map(({ id }) => id).sort()).toEqual(
      Object.values(context.actors)
        .flatMap(({ id }) => id ?? [])
        .sort(),
    );
    const ranks = everyone.map(({ role }) => ROLES.indexOf(role));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(everyone.find(({ id }) => id === context.actors.owner.id)).toEqual({
      id: context.actors.owner.id,
      handle: expect.any(String),
      display_name: 'Reader',
      role: 'owner',
      active: true,
      email: expect.stringMatching(/@example\.com$/),
      address_confirmed: true,
      created_at: expect.any(String),
      last_sign_in_at: expect.any(String),
    });
    expect(everyone.find(({ id }) => id === context.actors.deactivated.id)).toMatchObject({ active: false });
  });

  test('has pages without gaps and duplicates', async () => {
    // Equal names: the order must not depend on the name alone.
    for (let n = 0; n < 5; n++) await signUpAs('Same Name');
    const whole = await list();
    for (const most of [1, 4, whole.length]) {
      const pages: Row[] = [];
      for (;;) {
        const page = await list({ max_rows: most, after: pages.at(-1)?.id });
        expect(page.length).toBeLessThanOrEqual(most);
        if (page.length === 0) break;
        pages.push(...page);
      }
      expect(pages).toEqual(whole);
    }
    await expect(list({ after: randomUUID() })).rejects.toThrow('PT404 not_found');
  });

  test.each([
    [0, 1],
    [-5, 1],
    [2, 2],
  ])('with a limit of %i has %i', async (most, length) => {
    expect(await list({ max_rows: most })).toHaveLength(length);
  });

  test('is never longer than a page', async () => {
    const lengths = await catalog.rolledBack(async (session) => {
      await session.exec(`insert into auth.users (id, email)
        select gen_random_uuid(), n || '@x.example' from generate_series(1, ${2 * LIMITS.people_per_page}) n`);
      await session.exec(`select set_config('request.jwt.claims', '{"role": "service_role"}', true)`);
      const lengthOf = async (most: string) => {
        const query = `select count(*)::int as length from public.desk_people(max_rows => ${most})`;
        return (await session.query<{ length: number }>(query)).rows[0]?.length;
      };
      return [await lengthOf('100000'), await lengthOf('null')];
    });
    expect(lengths).toEqual([LIMITS.people_per_page, 50]);
  });

  test('finds people by a literal part of name, handle or address', async () => {
    const tag = randomUUID().slice(0, 8);
    const id = await signUpAs(`Zoë O'Brien_${tag}`, `Zoe+${tag}@Example.com`);
    const { handle } = (await list({ search: tag }))[0] as Row;
    for (const search of [tag, tag.toUpperCase(), `ZOË O'BRIEN_${tag}`, ` zoe+${tag}@ `, handle]) {
      expect(
        (await list({ search })).map((row) => row.id),
        search,
      ).toEqual([id]);
    }
    // Wildcards and SQL are literal text.
    for (const search of [`%${tag}`, `_${tag}_`, `${tag}' or true --`, '\\', `x${tag}`, 'y'.repeat(5_000)]) {
      expect(await list({ search }), search.slice(0, 40)).toEqual([]);
    }
    expect((await list({ search: ' ', max_rows: 3 })).length).toBe(3);
  });

  test('continues after a person who no longer matches', async () => {
    const [first, , third] = await list({ max_rows: 3 });
    expect((await list({ search: third?.handle, after: first?.id })).map(({ id }) => id)).toEqual([
      third?.id,
    ]);
  });

  test('leaves out deleted accounts', async () => {
    const { user } = await signUp(context.backend);
    const { email } = user;
    expect(await list({ search: email })).toHaveLength(1);
    await call(context.service, 'delete_account', { person_id: user.id });
    expect(await list({ search: email })).toEqual([]);
    expect((await list({ search: 'Deleted account' })).length).toBe(0);
  });
});

describe.each(ACTOR_NAMES.filter((who) => who !== 'owner'))('%s', (who) => {
  test('is refused the list', async () => {
    const { data, error, status } = await context.actors[who].client.rpc('desk_people', { search: '' });
    expect(data).toBeNull();
    expect([error?.code, status]).toEqual(
      who === 'visitor' ? ['42501', 401] : who === 'deactivated' ? ['PT401', 401] : ['PT403', 403],
    );
  });

  test('reads no e-mail address but the own one in any table, view or function', async () => {
    const { client } = context.actors[who];
    let seen = '';
    for (const [table] of tables) {
      seen += JSON.stringify(await client.from(table).select('*'));
      seen += JSON.stringify(await client.from(table).select('email'));
    }
    for (const name of ['get_me', 'my_sessions']) seen += JSON.stringify(await client.rpc(name));
    seen += JSON.stringify(await client.from('people').select('id').eq('email', 'someone@example.com'));
    expect(seen.length).toBeGreaterThan(1_000);
    expect(seen).not.toContain('@example.com');
  });
});

test('the server has no access to the list', async () => {
  expect((await context.service.rpc('desk_people')).error?.code).toBe('42501');
});
