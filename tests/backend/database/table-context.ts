import { afterAll, beforeAll, expect } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { type Body, plainRows, type Table } from '../../../src/lib/domain/body/blocks.ts';
import { contentOf } from '../../support/actors.ts';
import { openAlerts, type Person } from '../../support/alerts.ts';
import { openTestDatabase, SERVER, type TestDatabase } from '../../support/database.ts';

/* Tables that are read from a CSV address while their coverage is live. */

export const CSV = 'https://port.example/levels.csv';
export let database: TestDatabase;
export let alerts: ReturnType<typeof openAlerts>;
export let editor: Person;
export let contributor: Person;

/** Opens the database of a file. Each file calls it, because the files of a worker share this module. */
export function useTableDatabase(): void {
  beforeAll(async () => {
    database = await openTestDatabase();
    [editor, contributor] = [await database.createUser('editor'), await database.createUser('contributor')];
    alerts = openAlerts(database, () => editor);
  });
  afterAll(() => database.close());
}

export const tableFrom = (csv: string | undefined, more: Partial<Table> = {}): Table => ({
  type: 'table',
  rows: plainRows([
    ['Gauge', 'Level'],
    ['Quay', '2.1'],
  ]),
  caption: 'Levels',
  ...(csv && { csv }),
  ...more,
});
export const LEVELS = [
  ['Gauge', 'Level'],
  ['Quay', '2.4'],
  ['Mill', '=1+1'],
];

export async function publish(coverage_id: string, body: Body = [tableFrom(CSV)]) {
  const { id } = await alerts.publish(coverage_id, '', { body });
  return id;
}

type Row = { version: number; seq: number; state: string; body: Body };
export async function rowOf(id: string): Promise<Row> {
  const [row] = await database.rows<Row>(
    'select version, seq::integer, state::text, body from public.updates where id = $1',
    [id],
  );
  return row as Row;
}

/** The numbers of the changes of a coverage that its readers follow. */
export async function changesOf(coverage_id: string): Promise<number[]> {
  const rows = await database.rows<{ seq: number }>(
    'select seq::integer from public.coverage_changes where coverage_id = $1 order by seq',
    [coverage_id],
  );
  return rows.map(({ seq }) => seq);
}

export const claim = () => database.call(SERVER, ['claim_table_readings', {}]) as Promise<string[]>;
export const save = (ticket: string | undefined, result: object) =>
  database.call(SERVER, ['save_table_reading', { ticket, ...result }]);
export const rowsOf = (cells: string[][]) => ({ rows: plainRows(cells) });
export const readings = (who: Claims, update_id: string) =>
  database.call(who, ['list_table_readings', { update_id }]) as Promise<
    { csv: string; read_at: string | null; error: Record<string, unknown> | null }[]
  >;
/** Saves a body for the current version of an update, or for an earlier one. */
export async function revise(update_id: string, body: Body, earlier?: number) {
  const version = earlier ?? (await rowOf(update_id)).version;
  const content = contentOf('', { body });
  return database.call(editor, ['revise_update', { update_id, version, content }]);
}
/** Makes all addresses due. */
export const wait = () =>
  database.rows("update private.table_readings set next_at = now() - interval '1 minute'");
/** Forgets the addresses of other tests. */
export const forget = () => database.rows('delete from private.table_readings');

/** Publishes a table in a new live coverage, and claims its reading. */
export async function claimed(body?: Body) {
  await forget();
  const coverage_id = await alerts.coverage();
  const id = await publish(coverage_id, body);
  const [ticket, ...others] = await claim();
  expect(others).toEqual([]);
  return { coverage_id, id, ticket };
}
