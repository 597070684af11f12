import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ACTOR_NAMES,
  contentOf,
  createCoverage,
  createSharedCoverage,
  createUser,
  openTestContext,
  type TestContext,
  tryCall,
} from '../../support/actors.ts';
import { apiTables, type Catalog, openCatalog, relationsOf } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';

/* Commands of owners: invites, the audit log and the site export. */

let context: TestContext;
let catalog: Catalog;
let owner: SupabaseClient;
beforeAll(async () => {
  [context, catalog] = [await openTestContext(), await openCatalog()];
  owner = context.actors.owner.client;
});
afterAll(async () => {
  await catalog.close();
  await context.stop();
});

const newToken = () => randomBytes(32).toString('base64url');
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

type Invited = { id: string; token: string; email: string };

async function invite(content: object = {}, by = owner): Promise<Invited> {
  const [id, token, email] = [randomUUID(), newToken(), `${randomUUID()}@example.com`];
  const sent = { email, name: 'Nell Ashe', role: 'reporter', ...content };
  await call(by, 'invite_person', { invite_id: id, content: sent, token_hash: hashOf(token) });
  return { id, token, email };
}

const read = async (token: string) =>
  (await context.actors.visitor.client.rpc('read_invite', { token })).data;
const stateOf = async (id: string) =>
  (await owner.from('desk_invites').select('state').eq('id', id).single()).data?.state;
const roleOf = async (id: string) =>
  (await context.service.from('people').select('role').eq('id', id).single()).data?.role;

/** Creates an account and an invite to its address. */
async function invited(role: string, content: object = {}) {
  const person = await createUser(context, role);
  return { person, ...(await invite({ email: person.email.toUpperCase(), ...content })) };
}

const accept = (client: SupabaseClient, token: string) => tryCall(client, 'accept_invite', { token });

describe('an invite', () => {
  test('shows its content for its secret, but not for the digest', async () => {
    const { token, email, id } = await invite();
    expect(await read(token)).toEqual({
      state: 'pending',
      email,
      name: 'Nell Ashe',
      role: 'reporter',
      coverage: null,
      days: null,
      by: 'Reader',
      expires_at: expect.any(String),
      has_account: false,
    });
    expect(await read(hashOf(token))).toBeNull();
    const { data } = await owner.from('desk_invites').select().eq('id', id).single();
    expect(data).toMatchObject({ email, state: 'pending', invited_by: context.actors.owner.id });
    expect(JSON.stringify(data)).not.toContain(hashOf(token));
    expect((Date.parse(data.expires_at) - Date.parse(data.created_at)) / 86_400_000).toBeCloseTo(7);
  });

  test('gives its role once, to the person with its address', async () => {
    const { person, token, id } = await invited('reader');
    const stranger = await accept(context.actors.reader.client, token);
    expect(stranger).toMatchObject({ code: 'forbidden', status: 403 });
    expect(await stateOf(id)).toBe('pending');
    // Accepted in two windows at the same time.
    const presses = await Promise.all([accept(person.client, token), accept(person.client, token)]);
    expect(presses.map(({ code }) => code).sort()).toEqual(['gone', 'ok']);
    expect([await roleOf(person.id), await stateOf(id)]).toEqual(['reporter', 'accepted']);
    expect(await read(token)).toEqual({ state: 'accepted' });
  });

  test('never lowers a role', async () => {
    const { person, token } = await invited('reader');
    await call(owner, 'set_role', { person_id: person.id, role: 'editor' });
    expect(await accept(person.client, token)).toMatchObject({ code: 'ok', result: { role: 'editor' } });
    expect(await roleOf(person.id)).toBe('editor');
  });

  test('gives a contributor a membership, and shortens no longer one', async () => {
    const coverage_id = await createCoverage(context.service);
    const place = async (person_id: string) => {
      const { data } = await context.service
        .from('coverage_members')
        .select('expires_at')
        .match({ coverage_id, person_id });
      return (Date.parse(data?.[0]?.expires_at) - Date.now()) / 86_400_000;
    };
    const { person, token } = await invited('reader', { role: 'contributor', coverage_id, days: 5 });
    expect(await accept(person.client, token)).toMatchObject({ code: 'ok', result: { role: 'contributor' } });
    expect(await place(person.id)).toBeCloseTo(5, 1);
    const again = await invite({ email: person.email, role: 'contributor', coverage_id, days: 2 });
    expect(await accept(person.client, again.token)).toMatchObject({ code: 'ok' });
    expect(await place(person.id)).toBeCloseTo(5, 1);
    const desk = await person.client.rpc('desk_roster', { coverage_id });
    expect(desk.data).not.toEqual([]);
  });

  test('becomes void when it is sent again with a new link, or revoked', async () => {
    const { id, token } = await invite();
    const second = newToken();
    await call(owner, 'renew_invite', { invite_id: id, token_hash: hashOf(second) });
    expect([await read(token), await read(second)]).toMatchObject([null, { state: 'pending' }]);
    await call(owner, 'revoke_invite', { invite_id: id });
    expect(await read(second)).toEqual({ state: 'revoked' });
    for (const [act, args] of [
      ['renew_invite', { token_hash: hashOf(newToken()) }],
      ['revoke_invite', {}],
    ] as const) {
      expect(await tryCall(owner, act, { invite_id: id, ...args })).toMatchObject({ code: 'bad_state' });
    }
    expect(await tryCall(owner, 'revoke_invite', { invite_id: randomUUID() })).toMatchObject({
      code: 'not_found',
    });
  });

  test('is void when its sender is no longer an owner', async () => {
    for (const [act, args] of [
      ['set_role', { role: 'editor' }],
      ['set_active', { active: false }],
    ] as const) {
      const past = await createUser(context, 'owner');
      const { person, token } = await invited('reader');
      const theirs = await invite({ role: 'owner' }, past.client);
      await call(owner, act, { person_id: past.id, ...args });
      expect(await read(theirs.token), act).toEqual({ state: 'revoked' });
      expect((await read(token)).state).toBe('pending');
      expect(await accept(person.client, theirs.token)).toMatchObject({ code: 'gone', status: 410 });
    }
  });

  test('does not restore a role that was removed since', async () => {
    for (const [act, args, role] of [
      ['set_role', { role: 'reporter' }, 'reporter'],
      ['set_active', { active: false }, 'editor'],
    ] as const) {
      const { person, token } = await invited('editor', { role: 'owner' });
      await call(owner, act, { person_id: person.id, ...args });
      expect(await read(token), act).toEqual({ state: 'revoked' });
      expect((await accept(person.client, token)).code).toBe(act === 'set_role' ? 'gone' : 'signed_out');
      expect(await roleOf(person.id)).toBe(role);
    }
    const [here, there] = [await createCoverage(context.service), await createCoverage(context.service)];
    const { person, token, email } = await invited('contributor', {
      role: 'contributor',
      coverage_id: here,
    });
    const other = await invite({ email: person.email, role: 'contributor', coverage_id: there });
    const ends = { coverage_id: here, person_id: person.id, expires_at: '2020-01-01T00:00:00Z' };
    await call(owner, 'set_coverage_member', ends);
    expect(await read(token), email).toEqual({ state: 'revoked' });
    expect(await read(other.token)).toMatchObject({ state: 'pending' });
  });

  test('names a public coverage only, and is void when that is withdrawn', async () => {
    const coverage_id = await createCoverage(context.service, 'draft');
    const { person, token, id } = await invited('reader', { role: 'contributor', coverage_id });
    expect(await read(token)).toMatchObject({ state: 'pending', coverage: null, days: 30 });
    const lead = (state: string) => call(owner, 'set_coverage_state', { coverage_id, state });
    await lead('live');
    expect(await read(token)).toMatchObject({ coverage: { slug: `case-${coverage_id}` } });
    for (const state of ['ended', 'archived']) await lead(state);
    expect(await read(token)).toEqual({ state: 'revoked' });
    expect(await accept(person.client, token)).toMatchObject({ code: 'gone', status: 410 });
    expect((await context.service.rpc('invited_account', { token })).error?.code).toBe('PT410');
    expect([await roleOf(person.id), await stateOf(id)]).toEqual(['reader', 'pending']);
  });

  test('can be created while another one is accepted', async () => {
    const coverage_id = await createCoverage(context.service);
    const codes: string[] = [];
    const person = await createUser(context);
    for (let round = 0; round < 8; round++) {
      const { token } = await invite({ email: person.email, role: 'contributor', coverage_id });
      const content = {
        email: `${randomUUID()}@example.com`,
        name: 'Nell',
        role: 'contributor',
        coverage_id,
      };
      const args = () => ({ invite_id: randomUUID(), content, token_hash: hashOf(newToken()) });
      const both = [tryCall(owner, 'invite_person', args()), accept(person.client, token)];
      codes.push(...(await Promise.all(both)).map(({ code }) => code));
    }
    expect(codes).toEqual(Array(16).fill('ok'));
  });

  test('loses name and address when the account is deleted', async () => {
    const { person, token, id } = await invited('reader');
    await accept(person.client, token);
    const open = await invite({ email: person.email, role: 'editor' });
    await call(context.service, 'delete_account', { person_id: person.id });
    const { data } = await owner.from('desk_invites').select('email, name, state').in('id', [id, open.id]);
    const blank = { email: '', name: '' };
    expect(data).toHaveLength(2);
    for (const state of ['accepted', 'revoked']) expect(data).toContainEqual({ ...blank, state });
    expect(
      await tryCall(owner, 'renew_invite', { invite_id: open.id, token_hash: hashOf(newToken()) }),
    ).toMatchObject({
      code: 'bad_state',
    });
  });

  test('expires, can be renewed, and is deleted with the account that its mail created', async () => {
    const seen = await catalog.rolledBack(async (session) => {
      const one = async <Row>(query: string) => (await session.query<Row>(query)).rows[0];
      await session.exec(`
        insert into auth.users (id, email, email_confirmed_at) values ('00000000-0000-4000-8000-000000000001', 'o@x.example', now());
        update public.people set role = 'owner' where id = '00000000-0000-4000-8000-000000000001';
        insert into auth.users (id, email, invited_at) values ('00000000-0000-4000-8000-000000000002', 'n@x.example', now() - interval '40 days');
        insert into public.invites (id, email, name, role, token_hash, invited_by, created_at, expires_at)
          values ('00000000-0000-4000-8000-000000000003', 'n@x.example', 'Nell', 'editor', private.sha256_hex('t'),
            '00000000-0000-4000-8000-000000000001', now() - interval '10 days', now() - interval '3 days');
        select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-000000000001", "role": "authenticated"}', true);
        select private.delete_expired_data();`);
      const state = await one<{ state: string }>(`select public.read_invite('t') ->> 'state' as state`);
      await session.exec(
        `select public.renew_invite(gen_random_uuid(), '00000000-0000-4000-8000-000000000003', private.sha256_hex('u'))`,
      );
      const renewed = await one<{ state: string }>(`select public.read_invite('u') ->> 'state' as state`);
      await session.exec(
        `update public.invites set expires_at = now() - interval '31 days'; select private.delete_expired_data()`,
      );
      const left = await one<{
        invites: number;
        accounts: number;
      }>(`select (select count(*)::int from public.invites) as invites,
        (select count(*)::int from auth.users where email = 'n@x.example') as accounts`);
      return { state, renewed, left };
    });
    expect(seen).toEqual({
      state: { state: 'expired' },
      renewed: { state: 'pending' },
      left: { invites: 0, accounts: 0 },
    });
  });

  test.each([
    ['no address', { email: 'nobody' }, 'email'],
    ['no name', { name: ' ' }, 'name'],
    ['a role that needs none', { role: 'reader' }, 'role'],
    ['no such role', { role: 'emperor' }, 'role'],
    ['no coverage to contribute to', { role: 'contributor' }, 'coverage_id'],
    ['a field that is none', { token: 'x' }, 'token'],
  ])('with %s is refused and names its field', async (_what, content, field) => {
    const count = async () => (await owner.from('desk_invites').select('id')).data?.length;
    const before = await count();
    const sent = { email: `${randomUUID()}@example.com`, name: 'Nell', role: 'editor', ...content };
    const args = { invite_id: randomUUID(), content: sent, token_hash: hashOf(newToken()) };
    expect(await tryCall(owner, 'invite_person', args)).toMatchObject({
      code: 'invalid',
      status: 422,
      field,
    });
    expect(await count()).toBe(before);
  });

  test('is refused if it gives nothing, or exists already', async () => {
    const { email } = await invite();
    const reporter = await createUser(context, 'reporter');
    const closed = await createUser(context, 'reader');
    await call(owner, 'set_active', { person_id: closed.id, active: false });
    for (const [address, code] of [
      [email, 'invalid'],
      [reporter.email, 'invalid'],
      [closed.email, 'bad_state'],
    ]) {
      const content = { email: address, name: 'Nell', role: 'reporter' };
      const args = { invite_id: randomUUID(), content, token_hash: hashOf(newToken()) };
      expect(await tryCall(owner, 'invite_person', args), address).toMatchObject({ code });
    }
  });
});

describe('commands of owners', () => {
  const OWNERS: [act: string, args: () => Record<string, unknown>][] = [
    ['renew_invite', () => ({ invite_id: pending.id, token_hash: hashOf(newToken()) })],
    ['revoke_invite', () => ({ invite_id: pending.id })],
    ['begin_export', () => ({ tips: true, addresses: true })],
    [
      'invite_person',
      () => ({
        invite_id: randomUUID(),
        content: { email: `${randomUUID()}@example.com`, name: 'Eve', role: 'owner' },
        token_hash: hashOf(newToken()),
      }),
    ],
  ];
  let pending: Invited;
  beforeEach(async () => {
    pending = await invite();
  });

  test.each(ACTOR_NAMES.filter((who) => who !== 'owner'))('are refused to: %s', async (who) => {
    const { client } = context.actors[who];
    const before = (await owner.from('desk_invites').select()).data;
    const refused = who === 'visitor' ? 'denied' : who === 'deactivated' ? 'signed_out' : 'forbidden';
    for (const [act, args] of OWNERS) expect((await tryCall(client, act, args())).code, act).toBe(refused);
    for (const [reads, args] of [
      ['desk_log', {}],
      ['export_page', { export: randomUUID(), part: 'updates' }],
    ] as const) {
      const { data, error } = await client.rpc(reads, args);
      expect([data, error?.code], reads).toEqual([
        null,
        { denied: '42501', signed_out: 'PT401', forbidden: 'PT403' }[refused],
      ]);
    }
    for (const table of ['audit_log', 'desk_invites'])
      expect((await client.from(table).select()).data ?? []).toEqual([]);
    expect((await owner.from('desk_invites').select()).data).toEqual(before);
  });
});

type Entry = {
  id: number;
  action: string;
  created_by: string | null;
  by_name: string;
  person_name: string;
  created_at: string;
};
const log = async (asked: object = {}) => {
  const { data, error } = await owner.rpc('desk_log', asked);
  if (error) throw new Error(error.message);
  return data as Entry[];
};

describe('the audit log', () => {
  test('records actor, action and person once, in the same transaction', async () => {
    const person = await createUser(context, 'reader', 'Ben Low');
    const idempotency_key = randomUUID();
    for (const _twice of [1, 2])
      await tryCall(owner, 'set_role', { idempotency_key, person_id: person.id, role: 'editor' });
    await tryCall(owner, 'set_role', { person_id: person.id, role: 'editor' });
    expect(await log({ person: person.id })).toMatchObject([
      {
        action: 'set_role',
        created_by: context.actors.owner.id,
        person_name: 'Ben Low',
        detail: { from: 'reader', to: 'editor' },
      },
    ]);
    // Refused commands are not recorded.
    await tryCall(owner, 'set_role', { person_id: randomUUID(), role: 'editor' });
    expect((await log({ max_rows: 1 }))[0]).toMatchObject({ person_id: person.id });
  });

  test('can be filtered by person, action, coverage and day, in pages without gaps', async () => {
    const coverage = await createSharedCoverage(context);
    const person = await createUser(context, 'reporter');
    await call(owner, 'set_role', { person_id: person.id, role: 'owner' });
    await call(person.client, 'set_coverage_state', { coverage_id: coverage, state: 'ended' });
    expect(new Set((await log({ person: person.id })).map((entry) => entry.created_by))).toEqual(
      new Set([null, context.actors.owner.id, person.id]),
    );
    const all = await log({ max_rows: 100 });
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => b - a));
    const pages: Entry[] = [];
    for (let page = await log({ max_rows: 3 }); page.length > 0; ) {
      pages.push(...page);
      page = await log({ max_rows: 3, before: page.at(-1)?.id });
    }
    expect(pages.slice(0, all.length)).toEqual(all);
    for (const asked of [
      { action_name: 'set_role' },
      { coverage },
      { person: person.id, action_name: 'set_role' },
    ]) {
      // From the first entry of the compared page.
      const filtered = (await log({ ...asked, max_rows: 100 })).filter(
        ({ id }) => id >= (all.at(-1)?.id ?? 0),
      );
      expect(filtered).not.toEqual([]);
      const fits = all.filter(
        (entry) =>
          (!('action_name' in asked) || entry.action === asked.action_name) &&
          (!('coverage' in asked) || Reflect.get(entry, 'coverage_id') === asked.coverage) &&
          (!('person' in asked) ||
            [entry.created_by, Reflect.get(entry, 'person_id')].includes(asked.person)),
      );
      expect(filtered).toEqual(fits);
    }
    const { created_at } = all[2] as Entry;
    expect(await log({ from_time: created_at, until_time: (all[1] as Entry).created_at })).toEqual([all[2]]);
  });

  test('reads as few pages after a year as after a day', async () => {
    const read = await catalog.rolledBack(async (session) => {
      await session.exec(`
        select set_config('request.jwt.claims', '{"role": "service_role"}', true);
        insert into public.coverages (id, slug, headline) select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'log-' || n, 'A case'
          from generate_series(1, 50) n;
        insert into public.audit_log (created_at, action, subject, subject_id, coverage_id)
          select now() - n * interval '10 minutes', case when n % 9 = 0 then 'save_site' else 'save_coverage' end, 'coverage', c.id, c.id
          from generate_series(1, 30000) n
          join (select id, row_number() over (order by id) as k from public.coverages where slug like 'log-%') c on c.k = n % 50 + 1;`);
      const buffers: Record<string, number> = {};
      const ask = async (args: string, knows: string) => {
        const { rows } = await session.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
          `explain (analyze, buffers, format json) select * from public.desk_log(${args})`,
        );
        const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
        buffers[`${args} ${knows}`] = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      };
      for (const knows of ['nothing', 'all']) {
        for (const args of [
          '',
          `action_name => 'save_site'`,
          `coverage => '00000000-0000-4000-8000-000000000007'`,
          `person => '00000000-0000-4000-8000-000000000007'`,
          `from_time => now() - interval '150 days', until_time => now() - interval '149 days'`,
          'before => (select min(id) + 25000 from public.audit_log)',
        ]) {
          await ask(args, knows);
        }
        await session.exec('analyze public.audit_log');
      }
      return buffers;
    });
    // 30,000 entries fill about 700 pages. A page of the log also reads names of people and coverages.
    for (const [asked, buffers] of Object.entries(read)) expect(buffers, asked).toBeLessThan(450);
    expect(Object.keys(read)).toHaveLength(12);
  });

  test('cannot be changed, even by the owner of the tables', async () => {
    for (const change of [
      `update public.audit_log set action = 'nothing'`,
      'delete from public.audit_log',
      'truncate public.audit_log',
    ]) {
      const tried = catalog.rolledBack((session) => session.exec(change));
      await expect(tried, change).rejects.toThrow('audit_log is append-only');
    }
  });
});

describe('the site export', () => {
  const begin = async (options: { tips: boolean; addresses: boolean }) => {
    const idempotency_key = randomUUID();
    return {
      idempotency_key,
      parts: (await owner.rpc('begin_export', { idempotency_key, ...options })).data.parts as string[],
    };
  };
  const rowsOf = async (idempotency_key: string, part: string, key: string[]) => {
    const rows: Record<string, unknown>[] = [];
    for (let after: object | null = null; ; ) {
      const answer = await owner.rpc('export_page', {
        export: idempotency_key,
        part,
        ...(after && { after }),
      });
      if (answer.error) throw new Error(`${part}: ${answer.error.message}`);
      const page: Record<string, unknown>[] = answer.data;
      rows.push(...page);
      if (page.length === 0) return rows;
      after = Object.fromEntries(key.map((column) => [column, page.at(-1)?.[column]]));
    }
  };

  test('contains every table, each row once, and no secret', async () => {
    const coverage_id = await createSharedCoverage(context);
    const update_id = randomUUID();
    await call(owner, 'publish_update', { coverage_id, update_id, content: contentOf('Out.') });
    const photo_id = randomUUID();
    const content = { body: 'A gate is open.', photo: photo_id };
    const sent = { tip_id: randomUUID(), content, receipt: newToken(), sender: {} };
    expect((await context.service.rpc('add_tip', sent)).error).toBeNull();
    const target = { coverage: `case-${coverage_id}` };
    await call(owner, 'save_follow', { target, scope: 'all', by_mail: true, by_push: false });
    const { idempotency_key, parts } = await begin({ tips: true, addresses: true });
    const tables = apiTables(await relationsOf(catalog)).filter(
      // Push subscriptions and deliveries belong to one server.
      ([name]) => !/^desk_|_notes$|_history$|^(push_subscriptions|alerts|deliveries)$/.test(name),
    );
    expect([...parts].sort()).toEqual(['addresses', ...tables.map(([name]) => name)].sort());
    const { rows: keys } = await catalog.rolledBack((session) =>
      session.query<{ part: string; key: string[] }>(
        'select part, to_jsonb(key) as key from private.export_parts',
      ),
    );
    const everything: Record<string, unknown[]> = {};
    for (const { part, key } of keys) {
      const rows = await rowsOf(idempotency_key, part, key);
      everything[part] = rows;
      const ids = rows.map((row) => JSON.stringify(key.map((column) => row[column])));
      expect(new Set(ids).size, part).toBe(ids.length);
      if (!['tips', 'invites', 'follows'].includes(part)) {
        const { count } = await context.service.from(part).select('*', { count: 'exact', head: true });
        expect(rows.length, part).toBe(count);
      }
    }
    expect(everything.updates).toContainEqual(expect.objectContaining({ id: update_id, number: 1 }));
    expect(everything.follows).toContainEqual(expect.objectContaining({ coverage_id, mail: true }));
    expect(JSON.stringify(everything)).not.toMatch(/_hash"|_secret"|password/);
    expect(JSON.stringify(await rowsOf(idempotency_key, 'addresses', ['id']))).toContain('@example.com');
    expect((await log({ max_rows: 1 }))[0]).toMatchObject({ action: 'export', detail: { tips: true } });
    const less = await begin({ tips: false, addresses: false });
    expect(less.parts).not.toContain('tips');
    const idsIn = (rows: unknown[] = []) => rows.map((row) => Reflect.get(row as object, 'id'));
    expect(idsIn(everything.photos)).toContain(photo_id);
    expect(idsIn(await rowsOf(less.idempotency_key, 'photos', ['id']))).not.toContain(photo_id);
    const codeOf = async (by: string, part: string) =>
      (await owner.rpc('export_page', { export: by, part })).error?.code;
    for (const part of ['tips', 'invites', 'follows', 'addresses', 'push_subscriptions', 'pg_class']) {
      expect(await codeOf(less.idempotency_key, part), part).toBe('PT404');
    }
    const colleague = await createUser(context, 'owner');
    const theirs = await colleague.client.rpc('export_page', { export: idempotency_key, part: 'updates' });
    expect([theirs.error?.code, await codeOf(randomUUID(), 'updates')]).toEqual(['PT409', 'PT409']);
  });
});
