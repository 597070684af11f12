import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect as connectTo } from 'node:net';
import { Duplex } from 'node:stream';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listTableReadings } from '../../../src/lib/data/unfurl.ts';
import { plainRows, type Table } from '../../../src/lib/domain/body/blocks.ts';
import { Refused } from '../../../src/lib/i18n/refusals.ts';
import { createTableReadingClient, startTableReader } from '../../../src/lib/server/table-reader.ts';
import { readTable } from '../../../supabase/functions/unfurl-link/table.ts';
import { anonClient, type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { call, createLiveCoverage, createUsers, type People } from '../../support/newsroom.ts';

let backend: OwnedBackend;
let people: People;
beforeAll(async () => {
  backend = await startOwnedBackend();
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

/** Starts a server, and returns a function that reads a table from it as from a public address. */
async function serve(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const net = {
    resolve: async () => ['93.184.216.34'],
    async connect() {
      const socket = connectTo((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      const { readable, writable } = Duplex.toWeb(socket);
      return {
        readable: readable as ReadableStream<Uint8Array>,
        writable,
        close: () => void socket.destroy(),
      };
    },
  };
  return (url: string) =>
    readTable(url, net).catch(({ code, reason }) => {
      throw new Refused(code, { reason, details: { reason } });
    });
}

test('a published table follows its file: changes, failures, edits, and the end of the coverage', async () => {
  let level = '2.1';
  let requests = 0;
  const read = await serve((_request, response) => {
    requests += 1;
    if (level === '') return void response.writeHead(500).end();
    response.writeHead(200, { 'content-type': 'text/csv' }).end(`Gauge,Level\n"Quay, north",${level}\n`);
  });
  const newsroom = await createLiveCoverage(people);
  const csv = 'https://port.example/levels.csv';
  const table: Table = { type: 'table', rows: plainRows([['Gauge'], ['?']]), csv };
  const { id } = await newsroom.publish({ body: [table] });
  const client = { ...createTableReadingClient(backend), read: () => read(csv) };
  onTestFinished(startTableReader(client, 20));
  const { client: editor } = people.editor;
  /** Makes the address due, as a minute later. */
  const pass = () =>
    backend.sql(`update private.table_readings set next_at = now() where update_id = '${id}' returning csv`);
  const rowOf = async () => (await editor.from('updates').select('version, body').eq('id', id).single()).data;
  const level1 = async () => (await rowOf())?.body[0].rows[1]?.[1]?.[0]?.text;

  await expect.poll(level1).toBe('2.1');
  level = '=2+2';
  await pass();
  await expect.poll(level1).toBe('=2+2');

  level = '';
  await pass();
  await expect
    .poll(() => listTableReadings(editor, id))
    .toMatchObject([
      { readAt: expect.any(String), problem: { code: 'unavailable', reason: 'page_unreachable' } },
    ]);
  const kept = await rowOf();
  expect(kept?.version).toBe(3);
  expect(await level1()).toBe('=2+2');

  // Five minutes after the last reading, the table says so.
  const [aged] = await backend.sql<{ at: string }>(
    `update private.table_readings set read_at = read_at - interval '5 minutes', next_at = now()
     where update_id = '${id}' returning private.body_time(read_at) as at`,
  );
  await expect
    .poll(async () => (await rowOf())?.body)
    .toEqual([{ ...kept?.body[0], as_of: expect.any(String), stale: true }]);
  const marked = await rowOf();
  // The cells changed after that reading, as this test has moved it.
  expect(marked?.body[0].as_of >= (aged?.at ?? '')).toBe(true);

  level = '2.6';
  const content = { body: [{ ...kept?.body[0], caption: 'Levels' }] };
  await call(editor, 'revise_update', { update_id: id, version: marked?.version, content });
  expect((await rowOf())?.body[0]).toMatchObject({ caption: 'Levels', stale: true });
  await pass();
  await expect.poll(level1).toBe('2.6');
  expect((await rowOf())?.body[0]).toMatchObject({ caption: 'Levels', csv });
  expect((await rowOf())?.body[0]).not.toHaveProperty('stale');

  await call(editor, 'set_coverage_state', { coverage_id: newsroom.coverage.id, state: 'ended' });
  const [before, asked] = [await rowOf(), requests];
  level = '9.9';
  await pass();
  // The reader claims several times meanwhile.
  const claims = await Promise.all(Array.from({ length: 3 }, () => client.claim()));
  expect(claims.flat()).toEqual([]);
  expect([await rowOf(), requests]).toEqual([before, asked]);
});
