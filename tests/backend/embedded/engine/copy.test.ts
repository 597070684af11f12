import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../../packages/embedded-supabase/src/engine/open.ts';
import { runWithoutTimeLimit } from '../../../../packages/embedded-supabase/src/engine/work.ts';
import { dataEnvironment, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

let data: string;
let engine: Engine;
beforeAll(async () => {
  data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
});
afterAll(async () => {
  await engine.close();
  await removeData(data);
});

/** Rows of about 250 bytes, with characters that COPY escapes. */
const rows = (count: number) =>
  `select g as id, repeat(E'a\\tb\\nc\\\\ü', 25) as body from generate_series(1, ${count}) g`;

/** Only long-running work of the product copies rows. */
const transaction: Engine['transaction'] = (work) =>
  runWithoutTimeLimit('copying', () => engine.transaction(work));

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('copies rows unchanged for any number and speed, and keeps the session', async () => {
  await transaction(async (session) => {
    await session.exec('create table public.copied (id int, body text)');
    for (const count of [0, 1, 300, 600, 5_000, 40_000]) {
      const pieces: Uint8Array[] = [];
      for await (const piece of session.copyOut(rows(count))) {
        pieces.push(piece);
        await tick();
      }
      expect((await session.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await session.copyIn('public.copied (id, body)', cut(Buffer.concat(pieces), 1000));
      const { rows: different } = await session.query(
        `(${rows(count)} except all table public.copied) union all (table public.copied except all ${rows(count)})`,
      );
      expect(different).toEqual([]);
      await session.exec('truncate public.copied');
    }
  });
});

/** Splits bytes at any position. */
async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('keeps the session when the reader stops early', async () => {
  await transaction(async (session) => {
    for await (const _ of session.copyOut(rows(40_000))) break;
    expect((await session.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});

test.each([1, 20_000])('ends the copy with the error of row %i', async (bad) => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i + 1 === bad ? 'none' : i}\tbody\n`).join('');
  await expect(
    transaction(async (session) => {
      await session.exec('create table public.refused (id int, body text)');
      await session.copyIn('public.refused (id, body)', cut(Buffer.from(lines), 1000));
    }),
  ).rejects.toMatchObject({ code: '22P02' });
  expect((await engine.transaction((session) => session.query('select 1 as one'))).rows).toHaveLength(1);
});
