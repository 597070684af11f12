import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ACTOR_NAMES, createSharedCoverage, createUser, tryCall } from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';
import {
  catalog,
  context,
  type Entry,
  hashOf,
  type Invited,
  invite,
  log,
  newToken,
  owner,
  useOwner,
} from './owner-context.ts';

useOwner();

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
      // The first query of a session also reads the system catalogs.
      await session.query('select * from public.desk_log()');
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
