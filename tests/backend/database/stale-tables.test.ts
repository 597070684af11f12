import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Body, Table } from '../../../src/lib/domain/body/blocks.ts';
import { machineTime } from '../../../src/lib/domain/time.ts';
import { errorOf, SERVER } from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';
import {
  alerts,
  CSV,
  changesOf,
  claim,
  claimed,
  database,
  editor,
  LEVELS,
  publish,
  readings,
  revise,
  rowOf,
  rowsOf,
  save,
  tableFrom,
  useTableDatabase,
  wait,
} from './table-context.ts';

useTableDatabase();

/* A table whose address cannot be read says so to readers after five minutes. */

const GONE = { code: 'unavailable', reason: 'page_unreachable' };
const ROWS = { rows: tableFrom(CSV).rows };

/** Makes the last reading that succeeded, and the publication, this old. @returns the time of that reading */
async function age(id: string, minutes: number): Promise<string | undefined> {
  const [row] = await database.rows<{ read_at: Date | null; recorded_at: Date }>(
    `update private.table_readings set read_at = read_at - make_interval(mins => $2),
       recorded_at = recorded_at - make_interval(mins => $2)
     where update_id = $1 returning read_at, recorded_at`,
    [id, minutes],
  );
  return row && machineTime(row.read_at ?? row.recorded_at);
}

/** Reads all addresses that are due, with the same result. */
async function readAgain(result: object): Promise<unknown[]> {
  await wait();
  const results: unknown[] = [];
  for (const ticket of await claim()) results.push(await save(ticket, result));
  return results;
}

const tableOf = async (id: string, index = 0) => (await rowOf(id)).body[index] as Table;

/** Publishes a table that was read a while ago, and fails its next reading. */
async function stale(body: Body = [tableFrom(CSV)]) {
  const { coverage_id, id, ticket } = await claimed(body);
  await save(ticket, ROWS);
  const readAt = await age(id, 5);
  expect(await readAgain({ error: GONE })).toEqual(['failed']);
  return { coverage_id, id, readAt };
}

describe('a table whose address fails', () => {
  test.each([
    ['the server is gone', { error: GONE }],
    ['the file is no CSV', { error: { code: 'invalid', reason: 'not_csv', field: 'url' } }],
    ['the address is private', { error: { code: 'invalid', reason: 'address_not_public', field: 'url' } }],
    ['the rows break a rule', rowsOf(Array.from({ length: 1_000 }, () => Array(10).fill('1')))],
  ])('says since when to readers after five minutes, once: %s', async (_name, result) => {
    const { coverage_id, id, ticket } = await claimed();
    expect(await save(ticket, ROWS)).toBe('unchanged');
    await age(id, 4);
    const before = await rowOf(id);
    const changesBefore = await changesOf(coverage_id);
    expect(await readAgain(result)).toEqual(['failed']);
    expect(await rowOf(id)).toEqual(before);
    expect(await changesOf(coverage_id)).toEqual(changesBefore);

    const readAt = await age(id, 1);
    const sent = await database.broadcastsOf(async () => {
      expect(await readAgain(result)).toEqual(['failed']);
    });
    const after = await rowOf(id);
    expect(after.body).toEqual([{ ...tableFrom(CSV), as_of: readAt, stale: true }]);
    expect(after).toMatchObject({ version: before.version + 1, seq: before.seq + 1 });
    expect(await changesOf(coverage_id)).toEqual([...changesBefore, after.seq]);
    expect(sent.map(({ topic, event }) => [topic.replace(/:.*/, ''), event])).toEqual(
      expect.arrayContaining([
        ['coverage', 'change'],
        ['site', 'change'],
        ['desk', 'update'],
      ]),
    );
    expect(await readings(editor, id)).toMatchObject([{ csv: CSV, error: { code: expect.any(String) } }]);

    await age(id, 60);
    expect(await readAgain(result)).toEqual(['failed']);
    expect(await rowOf(id)).toEqual(after);
    expect(await changesOf(coverage_id)).toEqual([...changesBefore, after.seq]);
  });

  test('is read again when it becomes stale, not only when its next attempt is due', async () => {
    const { id, ticket } = await claimed();
    await save(ticket, ROWS);
    await age(id, 1);
    const waits: number[] = [];
    for (const minutes of [1, 2, 1, 0]) {
      await readAgain({ error: GONE });
      const [row] = await database.rows<{ minutes: number }>(
        `select round(extract(epoch from next_at - clock_timestamp()) / 60)::integer as minutes
         from private.table_readings where update_id = $1`,
        [id],
      );
      waits.push(row?.minutes ?? 0);
      await age(id, minutes);
    }
    expect(waits).toEqual([1, 2, 1, 8]);
    expect(await tableOf(id)).toMatchObject({ stale: true });
  });

  test('is as old as its publication when it was never read, or as its writer said', async () => {
    const { id, ticket } = await claimed();
    await save(ticket, { error: GONE });
    const recordedAt = await age(id, 5);
    await readAgain({ error: GONE });
    expect(await tableOf(id)).toMatchObject({ as_of: recordedAt, stale: true });

    const dated = await claimed([tableFrom(CSV, { as_of: '2026-11-28T09:00:00Z' })]);
    await save(dated.ticket, { error: GONE });
    await age(dated.id, 5);
    await readAgain({ error: GONE });
    expect(await tableOf(dated.id)).toMatchObject({ as_of: '2026-11-28T09:00:00Z', stale: true });
  });

  test('is marked without the other tables of its update', async () => {
    const other = tableFrom('https://port.example/other.csv');
    const plain = tableFrom(undefined);
    const { id, ticket } = await claimed();
    await save(ticket, ROWS);
    await revise(id, [paragraph('Levels'), tableFrom(CSV), plain, other]);
    await age(id, 5);
    await wait();
    for (const next of await claim()) {
      const url = await database.call(SERVER, ['table_reading_url', { ticket: next }]);
      await save(next, url === CSV ? { error: GONE } : rowsOf(LEVELS));
    }
    const { body } = await rowOf(id);
    expect(body).toEqual([
      paragraph('Levels'),
      { ...tableFrom(CSV), as_of: expect.any(String), stale: true },
      plain,
      { ...other, ...rowsOf(LEVELS), as_of: expect.any(String) },
    ]);
  });

  test('says so at once when its coverage goes on after a long pause', async () => {
    const { coverage_id, id, ticket } = await claimed();
    await save(ticket, ROWS);
    await database.call(SERVER, ['set_coverage_state', { coverage_id, state: 'paused' }]);
    await age(id, 60);
    expect(await readAgain({ error: GONE })).toEqual([]);
    await database.call(SERVER, ['set_coverage_state', { coverage_id, state: 'live' }]);
    expect(await tableOf(id)).not.toHaveProperty('stale');
    await readAgain({ error: GONE });
    expect(await tableOf(id)).toMatchObject({ stale: true });
  });
});

describe('a stale table', () => {
  test('is fresh after one reading, also of the same cells', async () => {
    const { coverage_id, id, readAt } = await stale();
    const before = await rowOf(id);
    expect(await readAgain(ROWS)).toEqual(['changed']);
    const after = await rowOf(id);
    expect(after).toMatchObject({ version: before.version + 1, seq: before.seq + 1 });
    expect(after.body).toEqual([{ ...tableFrom(CSV), as_of: expect.any(String) }]);
    expect((after.body[0] as Table).as_of).not.toBe(readAt);
    const changes = await changesOf(coverage_id);
    expect(await readAgain(ROWS)).toEqual(['unchanged']);
    expect(await changesOf(coverage_id)).toEqual(changes);
    await age(id, 4);
    await readAgain({ error: GONE });
    expect(await rowOf(id)).toEqual(after);
  });

  test('stays stale when a person edits the update, whose form does not know of it', async () => {
    const { id, readAt } = await stale();
    await revise(id, [paragraph('New words.'), tableFrom(CSV, { caption: 'At noon' })]);
    expect(await tableOf(id, 1)).toEqual({
      ...tableFrom(CSV, { caption: 'At noon' }),
      as_of: readAt,
      stale: true,
    });
    const [revision] = await database.rows<{ body: Body }>(
      `select content -> 'body' as body from public.update_revisions where update_id = $1 order by version desc limit 1`,
      [id],
    );
    expect(revision?.body).toEqual((await rowOf(id)).body);
    // A person who corrects the cells by hand says when they were true.
    await revise(id, [tableFrom(CSV, { as_of: '2199-01-01T00:00:00Z' })]);
    expect(await tableOf(id)).toMatchObject({ as_of: '2199-01-01T00:00:00Z', stale: true });
  });

  test('is an ordinary table without its address', async () => {
    const { id } = await stale();
    await revise(id, [tableFrom(undefined)]);
    expect(await tableOf(id)).toEqual(tableFrom(undefined));
  });

  test('keeps its mark when the coverage ends', async () => {
    const { coverage_id, id } = await stale();
    const before = await rowOf(id);
    await database.call(SERVER, ['set_coverage_state', { coverage_id, state: 'ended' }]);
    expect(await readAgain(ROWS)).toEqual([]);
    expect((await rowOf(id)).body).toEqual(before.body);
  });

  test('takes no room from a text at its limit', async () => {
    const { id } = await stale();
    const url = `https://e.example/${'x'.repeat(2_000)}`;
    const runs = Array.from({ length: 63 }, (_, n) => ({ text: `${n}`, link: url }));
    const [row] = await database.rows<{ free: number }>(
      'select private.get_limit($2) - octet_length($1::jsonb::text) as free',
      [JSON.stringify([{ type: 'paragraph', runs }, tableFrom(CSV)]), 'body_bytes'],
    );
    const body: Body = [
      { type: 'paragraph', runs: [...runs, { text: 'x'.repeat((row?.free ?? 0) - 30) }] },
      tableFrom(CSV),
    ];
    await revise(id, body);
    expect(await tableOf(id, 1)).toEqual(tableFrom(CSV));
  });
});

test.each([
  ['without an address', { csv: undefined, as_of: '2026-11-28T09:00:00Z', stale: true }],
  ['without a time', { csv: CSV, stale: true }],
  ['false', { csv: CSV, as_of: '2026-11-28T09:00:00Z', stale: false }],
  ['with a text', { csv: CSV, as_of: '2026-11-28T09:00:00Z', stale: '<b>' }],
])('a mark of staleness is refused %s', async (_name, more) => {
  const coverage_id = await alerts.coverage();
  const body = [{ ...tableFrom(undefined), ...more }] as unknown as Body;
  expect(await errorOf(publish(coverage_id, body))).toMatchObject({ code: 'invalid', field: 'body' });
  expect(await database.rows('select id from public.updates where coverage_id = $1', [coverage_id])).toEqual(
    [],
  );
});

test('a mark that a person forged is removed by the first reading', async () => {
  const { id, ticket } = await claimed([
    tableFrom(CSV, { as_of: '2020-01-01T00:00:00Z', stale: true }),
    paragraph(randomUUID()),
  ]);
  expect(await save(ticket, ROWS)).toBe('changed');
  expect(await tableOf(id)).toEqual({ ...tableFrom(CSV), as_of: expect.not.stringMatching(/^2020/) });
});
