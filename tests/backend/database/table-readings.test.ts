import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Body, plainRows, type Table } from '../../../src/lib/domain/body/blocks.ts';
import { contentOf } from '../../support/actors.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';
import {
  alerts,
  CSV,
  changesOf,
  claim,
  claimed,
  contributor,
  database,
  editor,
  forget,
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

/* Changes by a reading of a CSV address, and the choice of the addresses to read. */

describe('a reading', () => {
  test('replaces the cells of the tables with its address, and nothing else', async () => {
    const other = tableFrom('https://port.example/other.csv');
    const body: Body = [
      paragraph('Levels of the river:'),
      tableFrom(CSV, { align: ['start', 'end'], source: 'Port', preset: 'results' }),
      tableFrom(undefined),
      other,
    ];
    await forget();
    const coverage_id = await alerts.coverage();
    await alerts.follower(coverage_id);
    const id = await publish(coverage_id, body);
    const readAlerts = () =>
      database.rows('select * from public.alerts where coverage_id = $1 order by id', [coverage_id]);
    const alertsBefore = await readAlerts();
    expect(alertsBefore).not.toEqual([]);
    const before = await rowOf(id);
    const tickets = await claim();
    expect(tickets).toHaveLength(2);
    const addresses = await Promise.all(
      tickets.map((ticket) => database.call(VISITOR, ['table_reading_url', { ticket }])),
    );
    const ticket = tickets[addresses.indexOf(CSV)];

    const sent = await database.broadcastsOf(async () => {
      expect(await save(ticket, rowsOf(LEVELS))).toBe('changed');
    });
    const after = await rowOf(id);
    expect(after).toMatchObject({ version: before.version + 1, seq: before.seq + 1, state: 'published' });
    expect(after.body).toEqual([
      body[0],
      { ...(body[1] as Table), rows: plainRows(LEVELS), as_of: expect.stringMatching(/^\d{4}-\S+Z$/) },
      body[2],
      other,
    ]);
    expect(sent.map(({ topic, event }) => [topic.replace(/:.*/, ''), event])).toEqual(
      expect.arrayContaining([
        ['coverage', 'change'],
        ['site', 'change'],
        ['desk', 'update'],
      ]),
    );
    const [revision] = await database.rows(
      'select kind, note, created_by, public from public.update_revisions where update_id = $1 and version = $2',
      [id, after.version],
    );
    expect(revision).toEqual({ kind: 'revision', note: null, created_by: null, public: true });
    expect(await readAlerts()).toEqual(alertsBefore);
  });

  test('writes nothing when no cell has changed', async () => {
    const { coverage_id, id, ticket } = await claimed();
    const before = await rowOf(id);
    const changesBefore = await changesOf(coverage_id);
    expect(changesBefore).not.toEqual([]);
    expect(
      await save(
        ticket,
        rowsOf([
          ['Gauge', 'Level'],
          ['Quay', '2.1'],
        ]),
      ),
    ).toBe('unchanged');
    expect(await rowOf(id)).toEqual(before);
    expect(await readings(editor, id)).toEqual([{ csv: CSV, read_at: expect.any(String), error: null }]);
    await wait();
    const [next] = await claim();
    const sent = await database.broadcastsOf(async () => {
      expect(await save(next, { rows: tableFrom(CSV).rows })).toBe('unchanged');
    });
    expect(await rowOf(id)).toEqual(before);
    expect(await changesOf(coverage_id)).toEqual(changesBefore);
    expect(sent).toEqual([]);
  });

  test('drops the alignment of columns that are others now', async () => {
    const { id, ticket } = await claimed([tableFrom(CSV, { align: ['start', 'end'] })]);
    expect(
      await save(
        ticket,
        rowsOf([
          ['A', 'B', 'C'],
          ['1', '2', '3'],
        ]),
      ),
    ).toBe('changed');
    expect((await rowOf(id)).body[0]).not.toHaveProperty('align');
  });

  test('keeps an edit that was saved while the address was read', async () => {
    const { id, ticket } = await claimed([paragraph('Old words.'), tableFrom(CSV)]);
    const body = [paragraph('New words.'), tableFrom(CSV, { caption: 'Levels at noon' })];
    await revise(id, body);
    expect(await save(ticket, rowsOf(LEVELS))).toBe('changed');
    expect((await rowOf(id)).body).toMatchObject([
      body[0],
      { caption: 'Levels at noon', rows: plainRows(LEVELS) },
    ]);
  });

  test('is not overwritten by an edit that began before it', async () => {
    const { id, ticket } = await claimed();
    const { version } = await rowOf(id);
    expect(await save(ticket, rowsOf(LEVELS))).toBe('changed');
    const after = await rowOf(id);
    expect(await errorOf(revise(id, [paragraph('New words.')], version))).toMatchObject({
      code: 'conflict',
      version: after.version,
    });
    expect(await rowOf(id)).toEqual(after);
  });

  test('and an edit at the same time: neither is lost', async () => {
    const { id, ticket } = await claimed([paragraph('Old words.'), tableFrom(CSV)]);
    const body = [paragraph('New words.'), tableFrom(CSV)];
    const [edited, read] = await Promise.allSettled([revise(id, body), save(ticket, rowsOf(LEVELS))]);
    expect(read).toEqual({ status: 'fulfilled', value: 'changed' });
    // The edit is saved first, or its writer learns of the newer version.
    const words = edited.status === 'fulfilled' ? body[0] : paragraph('Old words.');
    expect((await rowOf(id)).body).toMatchObject([words, { rows: plainRows(LEVELS) }]);
  });

  test('ends with the address: a table that has lost it keeps its cells', async () => {
    const { id, ticket } = await claimed();
    const body = [tableFrom(undefined)];
    await revise(id, body);
    expect(await save(ticket, rowsOf(LEVELS))).toBe('ended');
    expect((await rowOf(id)).body).toEqual(body);
    await wait();
    expect(await claim()).toEqual([]);
    expect(await readings(editor, id)).toEqual([]);
  });
});

describe('the versions of an update', () => {
  const levelOf = (level: string) => [
    ['Gauge', 'Level'],
    ['Quay', level],
  ];
  /** Reads all tables a minute later. */
  async function readAgain(level: string) {
    await wait();
    for (const ticket of await claim()) expect(await save(ticket, rowsOf(levelOf(level)))).toBe('changed');
  }
  const versionsOf = async (id: string) => {
    const rows = await database.rows<{ version: number; body: Body }>(
      `select version, content -> 'body' as body from public.update_revisions where update_id = $1 order by version`,
      [id],
    );
    for (const { body } of rows) expect(body).not.toBeNull();
    return rows.map(({ version }) => version);
  };
  /** Makes the first version of consecutive readings this old. */
  const age = (minutes: number) =>
    database.rows(`update private.table_readings set version_since = now() - interval '${minutes} minutes'`);

  test('keep one reading of a quarter of an hour, and readers follow each', async () => {
    const { coverage_id, id, ticket } = await claimed();
    const { seq } = await rowOf(id);
    expect(await save(ticket, rowsOf(levelOf('2.2')))).toBe('changed');
    await readAgain('2.3');
    await age(14);
    await readAgain('2.4');
    expect(await rowOf(id)).toMatchObject({
      version: 4,
      seq: seq + 3,
      body: [{ rows: plainRows(levelOf('2.4')) }],
    });
    expect(await versionsOf(id)).toEqual([1, 4]);
    const changes = await database.rows<{ seq: number }>(
      'select seq::integer from public.coverage_changes where coverage_id = $1 and update_id = $2 order by seq',
      [coverage_id, id],
    );
    expect(changes.map((change) => change.seq)).toEqual([seq, seq + 1, seq + 2, seq + 3]);

    await age(15);
    await readAgain('2.5');
    await readAgain('2.6');
    expect(await versionsOf(id)).toEqual([1, 4, 6]);
  });

  test('keep what a person saved, and the reading before it', async () => {
    const { id, ticket } = await claimed([paragraph('Old words.'), tableFrom(CSV)]);
    expect(await save(ticket, rowsOf(levelOf('2.2')))).toBe('changed');
    await revise(id, [paragraph('New words.'), tableFrom(CSV, { rows: plainRows(levelOf('2.2')) })]);
    await readAgain('2.3');
    await readAgain('2.4');
    expect(await versionsOf(id)).toEqual([1, 2, 3, 5]);
  });

  test('keep one that the server published by schedule', async () => {
    const { id, ticket } = await claimed();
    await database.rows('update public.update_revisions set created_by = null where update_id = $1', [id]);
    expect(await save(ticket, rowsOf(levelOf('2.2')))).toBe('changed');
    expect(await versionsOf(id)).toEqual([1, 2]);
  });

  test('are shared by the readings of several tables', async () => {
    await forget();
    const body = [tableFrom(CSV), tableFrom('https://port.example/other.csv')];
    const id = await publish(await alerts.coverage(), body);
    await readAgain('2.2');
    expect(await versionsOf(id)).toEqual([1, 3]);
    await readAgain('2.3');
    expect(await versionsOf(id)).toEqual([1, 5]);
  });

  test('keep the last reading when the next one fails', async () => {
    const { id, ticket } = await claimed();
    expect(await save(ticket, rowsOf(levelOf('2.2')))).toBe('changed');
    await wait();
    const [next] = await claim();
    expect(await save(next, rowsOf(levelOf('a\u0007b')))).toBe('failed');
    expect(await versionsOf(id)).toEqual([1, 2]);
  });
});

describe('a failed reading', () => {
  test('keeps the cells, shows its error to the desk, and is repeated ever later', async () => {
    const { coverage_id, id, ticket } = await claimed();
    const before = await rowOf(id);
    const error = { code: 'invalid', reason: 'not_csv', field: 'url' };
    expect(await save(ticket, { error })).toBe('failed');
    expect(await rowOf(id)).toEqual(before);
    expect(await readings(editor, id)).toEqual([{ csv: CSV, read_at: null, error }]);
    await database.call(SERVER, ['set_coverage_member', { coverage_id, person_id: contributor.sub }]);
    expect(await readings(contributor, id)).toHaveLength(1);

    // The table has been stale for long, so no attempt is early for its sake.
    await database.rows("update private.table_readings set recorded_at = now() - interval '1 day'");
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      const [row] = await database.rows<{ minutes: number }>(
        'select round(extract(epoch from next_at - clock_timestamp()) / 60)::integer as minutes from private.table_readings',
      );
      waits.push(row?.minutes ?? 0);
      await wait();
      const [next] = await claim();
      await save(next, { error });
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);

    await wait();
    const [last] = await claim();
    expect(await save(last, rowsOf(LEVELS))).toBe('changed');
    expect(await readings(editor, id)).toMatchObject([{ read_at: expect.any(String), error: null }]);
  });

  test.each([
    ['10,000 cells', Array.from({ length: 1_000 }, () => Array(10).fill('1')), 'table_too_large'],
    ['too much text', [['A'], ['x'.repeat(10_001)]], 'too_many_characters'],
    ['no words', [[''], ['']], 'invalid_block'],
    ['control characters', [['A'], ['a\u0007b']], 'invalid_block'],
  ])('has the reason of the rules: %s', async (_name, cells, reason) => {
    const { id, ticket } = await claimed();
    const before = await rowOf(id);
    expect(await save(ticket, rowsOf(cells))).toBe('failed');
    expect(await rowOf(id)).toEqual(before);
    expect(await readings(editor, id)).toMatchObject([{ error: { code: 'invalid', reason } }]);
  });
});

describe('an address', () => {
  test('is read by one of several servers, once a minute', async () => {
    await forget();
    const id = await publish(await alerts.coverage());
    const all = await Promise.all([claim(), claim(), claim()]);
    expect(all.flat()).toHaveLength(1);
    const [ticket] = all.flat();
    expect(await save(ticket, rowsOf(LEVELS))).toBe('changed');
    expect(await claim()).toEqual([]);
    expect(await save(ticket, rowsOf(LEVELS))).toBe('ended');
    await wait();
    expect(await claim()).toHaveLength(1);
    expect((await rowOf(id)).version).toBe(2);
  });

  test('is read again when it was removed and put back', async () => {
    const { id } = await claimed();
    await revise(id, [tableFrom(undefined)]);
    await revise(id, [tableFrom(CSV)]);
    await wait();
    expect(await claim()).toHaveLength(1);
  });

  // PGlite has one session at a time.
  test.skipIf(ENGINE !== 'postgres')(
    'is still read when it is put back while the server forgets removed addresses',
    async () => {
      const { id } = await claimed();
      await revise(id, [tableFrom(undefined)]);
      const { version } = await rowOf(id);
      await database.as(editor, async (session) => {
        await session.query('select public.revise_update($1, $2, $3, $4)', [
          randomUUID(),
          id,
          version,
          JSON.stringify(contentOf('', { body: [tableFrom(CSV)] })),
        ]);
        // The edit is not visible to others yet.
        expect(await claim()).toEqual([]);
      });
      await wait();
      expect(await claim()).toHaveLength(1);
    },
  );

  test.each(['paused', 'ended', 'withdrawn'])('is not read in a coverage that is %s', async (state) => {
    const { coverage_id, id, ticket } = await claimed();
    await database.call(SERVER, ['set_coverage_state', { coverage_id, state }]);
    const before = await rowOf(id);
    expect(await save(ticket, rowsOf(LEVELS))).toBe('ended');
    expect(await rowOf(id)).toEqual(before);
    await wait();
    expect(await claim()).toEqual([]);
    if (state !== 'paused') return;
    await database.call(SERVER, ['set_coverage_state', { coverage_id, state: 'live' }]);
    expect(await claim()).toHaveLength(1);
  });

  test('is not read any more when its update is withdrawn', async () => {
    const { id, ticket } = await claimed();
    await database.call(editor, ['withdraw_update', { update_id: id, reason: 'Not true.' }]);
    const before = await rowOf(id);
    expect(await save(ticket, rowsOf(LEVELS))).toBe('ended');
    expect(await rowOf(id)).toEqual(before);
    await wait();
    expect(await claim()).toEqual([]);
  });

  test('is not read for a draft', async () => {
    await forget();
    const coverage_id = await alerts.coverage();
    const content = contentOf('', { body: [tableFrom(CSV)] });
    await database.call(editor, ['save_update', { coverage_id, update_id: randomUUID(), content }]);
    expect(await claim()).toEqual([]);
  });

  test.each(['http://port.example/levels.csv', 'javascript:alert(1)', 'https://a b/', '', 7, null])(
    'must be https, not %j',
    async (csv) => {
      const coverage_id = await alerts.coverage();
      const body = [{ ...tableFrom(undefined), csv }] as unknown as Body;
      expect(await errorOf(publish(coverage_id, body))).toMatchObject({ code: 'invalid', field: 'body' });
      expect(
        await database.rows('select id from public.updates where coverage_id = $1', [coverage_id]),
      ).toEqual([]);
    },
  );

  test('is one of at most ten in a coverage', async () => {
    const coverage_id = await alerts.coverage();
    const tables = (count: number, name: string) =>
      Array.from({ length: count }, (_, n) => tableFrom(`https://port.example/${name}-${n}.csv`));
    const id = await publish(coverage_id, tables(9, 'a'));
    expect(await errorOf(publish(coverage_id, tables(2, 'b')))).toEqual({ code: 'invalid', field: 'body' });
    await publish(coverage_id, tables(1, 'c'));
    // A withdrawn update makes room.
    await database.call(editor, ['withdraw_update', { update_id: id, reason: 'Not true.' }]);
    await publish(coverage_id, tables(9, 'd'));
    expect(
      await database.rows('select number from public.updates where coverage_id = $1', [coverage_id]),
    ).toHaveLength(3);
  });
});

test('only the server claims and saves readings, and only a desk sees them', async () => {
  const { id, ticket } = await claimed();
  const before = await rowOf(id);
  for (const who of [VISITOR, contributor, editor]) {
    expect(await errorOf(database.call(who, ['claim_table_readings', {}]))).toEqual({ code: '42501' });
    expect(await errorOf(database.call(who, ['save_table_reading', { ticket, ...rowsOf(LEVELS) }]))).toEqual({
      code: '42501',
    });
  }
  expect(await rowOf(id)).toEqual(before);
  expect(await readings(contributor, id)).toEqual([]);
  expect(await database.call(VISITOR, ['table_reading_url', { ticket: randomUUID() }])).toBeNull();
  expect(await database.call(VISITOR, ['table_reading_url', { ticket }])).toBe(CSV);
  await save(ticket, rowsOf(LEVELS));
  expect(await database.call(VISITOR, ['table_reading_url', { ticket }])).toBeNull();
});
