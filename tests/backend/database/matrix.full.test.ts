import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiTables, openCatalog, relationsOf } from '../../support/database.ts';
import { CALLS, callMark } from './matrix/calls.ts';
import { DOES, joins, TOPICS } from './matrix/channels.ts';
import { type MatrixContext, openMatrix } from './matrix/context.ts';
import { layOut, OBJECTS, tries } from './matrix/objects.ts';
import { READS, readMark } from './matrix/reads.ts';
import { cellsOf, namesIn, PEOPLE, type Person, type Row, rowsOf, whoMay } from './matrix/table.ts';

/*
 * Checks every cell of docs/permissions.md with the unmodified client, and that the document is complete.
 * rights.full.test.ts checks commands in a coverage, writes.full.test.ts checks direct writes.
 */

type Argument = { name: string; type: string; optional: boolean };

let matrix: MatrixContext;
let tables: string[];
let functions: Record<string, Argument[]>;
let buckets: string[];
let policies: string[];

beforeAll(async () => {
  const catalog = await openCatalog();
  tables = apiTables(await relationsOf(catalog)).map(([name]) => name);
  const functionRows = await catalog.rows<{ name: string; args: Argument[] }>(`
    select p.proname as name, coalesce((select json_agg(json_build_object('name', p.proargnames[n], 'type', format_type(t, null),
        'optional', n > p.pronargs - p.pronargdefaults) order by n)
      from unnest(p.proargtypes) with ordinality u(t, n)), '[]') as args
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`);
  functions = Object.fromEntries(functionRows.map(({ name, args }) => [name, args]));
  buckets = (await catalog.rows<{ id: string }>('select id from storage.buckets')).map(({ id }) => id);
  policies = (
    await catalog.rows<{ line: string }>(`
      select format('%s %s: %s, %s', schemaname || '.' || tablename, cmd, policyname, array_to_string(roles, ', ')) as line
      from pg_policies`)
  ).map(({ line }) => line);
  await catalog.close();
  matrix = await openMatrix();
  await layOut(matrix);
});
afterAll(() => matrix?.context.stop());

describe('docs/permissions.md lists', () => {
  const sorted = (names: Iterable<string>) => [...names].sort();
  test('every table and view', () => {
    expect(sorted(namesIn('Tables and views'))).toEqual(sorted(tables));
  });
  test('every function', () => {
    const sections = ['Functions', 'Acts', 'The server’s own functions'];
    const named = new Set(sections.flatMap((heading) => [...namesIn(heading)]));
    expect(sorted(named)).toEqual(sorted(Object.keys(functions)));
  });
  test('every bucket', () => {
    expect(sorted(namesIn('Buckets'))).toEqual(sorted(buckets));
  });
  test('every policy', () => {
    const written = cellsOf('Policies').map(
      ([table = '', name, act, roles]) => `${table.replaceAll('`', '')} ${act}: ${name}, ${roles}`,
    );
    expect(sorted(written)).toEqual(sorted(policies));
  });
});

/**
 * Compares the results of all actors with the row. They run at the same time, because no call changes the result of
 * another one.
 */
async function expectMarks(row: Row, get: (who: Person) => Promise<string>) {
  const got = await Promise.all(PEOPLE.map(async (who) => [who, await get(who)]));
  expect(Object.fromEntries(got), row.what).toEqual(row.marks);
}

/** Digests of all tables, in one query. Without `quiet_since`, which a job may change at any time. */
const everything = async () => {
  const sums = tables.map(
    (table) =>
      `select '${table}' as name, md5(coalesce(string_agg(r.text, ',' order by r.text), '')) as kept
        from public.${table} t, lateral (select (to_jsonb(t) - 'quiet_since')::text as text) r`,
  );
  const digests = await matrix.backend.sql<{ name: string; digests: string }>(sums.join(' union all '));
  return digests.map((row) => `${row.name} ${row.digests}`).sort();
};

test.each(rowsOf('Tables and views'))('read permission: $what', async (row) => {
  const read = READS[row.what];
  if (!read) throw new Error(`READS has no entry for ${row.what}.`);
  await expectMarks(row, (who) => readMark(matrix, who, read));
});

test.each(rowsOf('Functions'))('function: $what', async (row) => {
  const ask = CALLS[row.what];
  const [, name = ''] = /`(\w+)`/.exec(row.what) ?? [];
  if (!ask) throw new Error(`CALLS has no entry for ${row.what}.`);
  const may = whoMay(row);
  const asked = async (who: Person, args: object) => [who, await callMark(matrix, who, name, args, ask)];

  const shared = (await ask.args?.(matrix, may[0] ?? 'visitor')) ?? {};
  const commandArgs = () =>
    'idempotency_key' in shared && shared.idempotency_key
      ? { ...shared, idempotency_key: randomUUID() }
      : shared;
  const before = await everything();
  const refused = await Promise.all(
    PEOPLE.filter((who) => !may.includes(who)).map((who) => asked(who, commandArgs())),
  );
  expect(await everything()).toEqual(before);

  const done: unknown[] = [];
  for (const who of may) done.push(await asked(who, (await ask.args?.(matrix, who)) ?? {}));
  expect(Object.fromEntries([...refused, ...(done as [string, string][])])).toEqual(row.marks);
});

test('functions of the server are refused to all other actors', async () => {
  const before = await everything();
  for (const name of namesIn('The server’s own functions')) {
    const needed = (functions[name] ?? []).filter(({ optional }) => !optional);
    const args = Object.fromEntries(needed.map((argument) => [argument.name, null]));
    const others = PEOPLE.filter((who) => who !== 'server');
    const got = await Promise.all(others.map((who) => callMark(matrix, who, name, args)));
    expect(got, name).toEqual(others.map((who) => (['signedOut', 'deactivated'].includes(who) ? '×' : '–')));
  }
  expect(await everything()).toEqual(before);
});

/** Valid arguments by type. */
const SOMETHING: Record<string, unknown> = {
  integer: 1,
  bigint: 1,
  boolean: true,
  jsonb: {},
  'text[]': ['draft'],
  'uuid[]': [],
  text: 'x',
  date: '2026-01-01',
  'timestamp with time zone': '2030-01-01T00:00:00Z',
  coverage_state: 'live',
  person_role: 'reader',
  tip_state: 'spam',
  surge_mode: 'on',
  follow_scope: 'all',
  revision_kind: 'correction',
};

describe.each(['outsider', 'expired'] as const)('%s', (who) => {
  test('gets the same response for hidden things as for missing ones', async () => {
    const { draft, hidden, written, unusedPhoto, tipPhoto, tip, invite } = matrix;
    const ids = [
      draft,
      hidden.coverage,
      hidden.update,
      hidden.photo,
      written.update,
      written.photo,
      unusedPhoto,
      tipPhoto,
      tip,
      invite,
    ];
    const before = await everything();
    // Some responses contain the id.
    const answer = async (name: string, args: object, id: string) => {
      const { data, error, status } = await matrix.client(who).rpc(name, args);
      return JSON.stringify({ status, data, error: error && { ...error } }).replaceAll(id, 'id');
    };
    const server = namesIn('The server’s own functions');
    for (const [name, all] of Object.entries(functions)) {
      if (server.has(name)) continue;
      const values = all.map(({ name: arg, type }) => [
        arg,
        type === 'uuid' ? randomUUID() : SOMETHING[type],
      ]);
      const withId = (arg: string, id: string) => ({
        ...Object.fromEntries(values),
        ...('idempotency_key' in Object.fromEntries(values) && { idempotency_key: randomUUID() }),
        [arg]: id,
      });
      for (const { name: arg } of all.filter(
        ({ name: arg, type }) => type === 'uuid' && arg !== 'idempotency_key',
      )) {
        const nothing = randomUUID();
        const never = await answer(name, withId(arg, nothing), nothing);
        const results = await Promise.all(ids.map((id) => answer(name, withId(arg, id), id)));
        for (const one of results) expect(one, `${name} with ${arg}`).toEqual(never);
      }
    }
    expect(await everything()).toEqual(before);
  });
});

test.each(rowsOf('Buckets'))('bucket: $what', async (row) => {
  const attempt = OBJECTS[row.what];
  if (!attempt) throw new Error(`Nobody tries ${row.what}.`);
  const objects = () =>
    matrix.backend.sql('select bucket_id, name, version from storage.objects order by 1, 2');
  const before = await objects();
  const may = whoMay(row);
  const got: Record<string, string> = {};
  const others = PEOPLE.filter((who) => !may.includes(who));
  await Promise.all(
    others.map(async (who) => Object.assign(got, { [who]: await tries(matrix, who, attempt) })),
  );
  expect(await objects()).toEqual(before);
  for (const who of may) got[who] = await tries(matrix, who, attempt);
  expect(got).toEqual(row.marks);
});

describe('channels', () => {
  const rows = new Map(rowsOf('Channels').map((row) => [row.what, row]));

  test.each(Object.entries(TOPICS))('%s has the documented permissions', async (what, topicOf) => {
    const got = await Promise.all(PEOPLE.map((who) => joins(matrix, who, topicOf(matrix, who))));
    for (const does of DOES) {
      const row = rows.get(`${what}: ${does}`);
      expect(Object.fromEntries(PEOPLE.map((who, n) => [who, got[n]?.[does]])), does).toEqual(row?.marks);
    }
  });

  test('are all documented', () => {
    const known = Object.keys(TOPICS).flatMap((what) => DOES.map((does) => `${what}: ${does}`));
    expect([...rows.keys()].sort()).toEqual(known.sort());
  });
});
