import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listTableReadings } from '../../../src/lib/data/tables.ts';
import type { Table } from '../../../src/lib/domain/body/blocks.ts';
import { createTableReadingClient, startTableReader } from '../../../src/lib/server/table-reader.ts';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { createLiveCoverage, createUsers, type People } from '../../support/newsroom.ts';

let backend: TestBackend;
let people: People;
beforeAll(async () => {
  backend = await startBackend();
  people = await createUsers({ ...backend, service: serviceClient(backend) });
});
afterAll(() => backend.stop());

async function ask(client: SupabaseClient, body: object) {
  const { data, error, response } = await client.functions.invoke('unfurl-link', { body });
  return { status: response?.status ?? 0, data: error ? await error.context.json() : data };
}

test('reads tables for people with a desk, and for tickets of the website', async () => {
  const asked = { url: 'https://10.0.0.1/levels.csv', isTable: true };
  const anon = anonClient(backend);
  expect(await ask(anon, asked)).toMatchObject({ status: 401, data: { code: 'signed_out' } });
  expect(await ask(people.reader.client, asked)).toMatchObject({ status: 403, data: { code: 'forbidden' } });
  for (const url of [
    asked.url,
    'https://127.0.0.1/',
    'https://localhost/a.csv',
    'http://port.example/a.csv',
    7,
  ]) {
    expect(await ask(people.contributor.client, { ...asked, url })).toMatchObject({
      status: 422,
      data: { code: 'invalid', field: 'url' },
    });
  }
  for (const ticket of ['x', 7, null, { a: 1 }]) {
    expect(await ask(anon, { ticket })).toMatchObject({
      status: 422,
      data: { code: 'invalid', field: 'ticket' },
    });
  }
  expect(await ask(anon, { ticket: randomUUID() })).toMatchObject({
    status: 404,
    data: { code: 'not_found' },
  });
});

test('the website reads a published address through the function, and the desk sees why that failed', async () => {
  const newsroom = await createLiveCoverage(people);
  const table: Table = {
    type: 'table',
    rows: [[[{ text: 'Gauge' }]], [[{ text: 'Quay' }]]],
    csv: 'https://127.0.0.1/levels.csv',
  };
  const { id } = await newsroom.publish({ body: [table] });
  onTestFinished(startTableReader(createTableReadingClient(backend), 50));
  const { client } = people.editor;
  await expect
    .poll(() => listTableReadings(client, id), { timeout: 20_000 })
    .toMatchObject([
      { csv: table.csv, readAt: null, problem: { code: 'invalid', reason: 'address_not_public' } },
    ]);
  const { data } = await client.from('updates').select('version, body').eq('id', id).single();
  expect(data).toEqual({ version: 1, body: [table] });
});
