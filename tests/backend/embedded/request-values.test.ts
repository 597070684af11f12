import { describe, expect } from 'vitest';
import { serviceClient } from '../../support/backend.ts';
import { test as base } from './probe.ts';

/** The client with the secret key, and an empty table of things. */
const test = base.extend('client', async ({ backend }) => {
  const client = serviceClient(backend);
  await client.from('things').delete().gte('id', 0).throwOnError();
  return client;
});

describe('an insert of rows of which some lack a key', () => {
  test('stores null, and returns what is stored', async ({ client }) => {
    const rows = [
      { id: 1, name: 'a', note: 'own' },
      { id: 2, name: 'b' },
    ];
    const answer = await client.from('things').insert(rows).select('id, name, note');
    const stored = [
      { id: 1, name: 'a', note: 'own' },
      { id: 2, name: 'b', note: null },
    ];
    expect(answer).toMatchObject({ error: null, data: stored });
    expect((await client.from('things').select('id, name, note').order('id')).data).toEqual(stored);
  });

  test('is refused where the column must have a value', async ({ client }) => {
    const rows = [
      { id: 1, name: 'a', kind: 'own' },
      { id: 2, name: 'b' },
    ];
    for (const answer of [
      await client.from('things').insert(rows).select(),
      await client.from('things').upsert(rows).select(),
    ]) {
      expect(answer).toMatchObject({ status: 400, error: { code: '23502' } });
    }
    expect((await client.from('things').select()).data).toEqual([]);
  });

  test('stores defaults on request, and returns what is stored', async ({ client }) => {
    const rows = [{ id: 1_000_000, name: 'a' }, { name: 'b' }];
    const answer = await client
      .from('things')
      .insert(rows, { defaultToNull: false })
      .select('id, name, note, kind');
    const { data } = await client.from('things').select('id, name, note, kind').order('name');
    expect(data).toMatchObject([
      { id: 1_000_000, name: 'a', note: 'by default', kind: 'plain' },
      { id: expect.any(Number), name: 'b', note: 'by default', kind: 'plain' },
    ]);
    expect(answer).toMatchObject({ error: null, data });
  });
});

test('an insert of an empty object is a row of defaults', async ({ client }) => {
  const ticket = await client.from('tickets').insert({}).select().single();
  expect(ticket.data).toEqual({ id: expect.any(Number), note: 'by default' });
  expect((await client.from('tickets').insert({})).error).toBeNull();
  expect((await client.from('things').insert({})).error).toMatchObject({ code: '23502' });
});

describe('a limit of affected rows', () => {
  const limit = (rows: number) => `handling=strict,max-affected=${rows}`;

  test('undoes a function that changed more', async ({ client }) => {
    await client.from('things').insert([{ name: 'a' }, { name: 'b' }]);
    const over = await client.rpc('rename_things', { new_name: 'c' }).setHeader('prefer', limit(1));
    expect(over).toMatchObject({
      status: 400,
      error: { code: 'PGRST124', details: 'The query affects 2 rows' },
    });
    expect((await client.from('things').select('name').order('name')).data).toEqual([
      { name: 'a' },
      { name: 'b' },
    ]);
    const within = await client.rpc('rename_things', { new_name: 'c' }).setHeader('prefer', limit(2));
    expect(within).toMatchObject({ error: null, data: [{ name: 'c' }, { name: 'c' }] });
  });

  test('is refused for a function that returns no rows', async ({ client }) => {
    const answer = await client.rpc('count_things').setHeader('prefer', limit(1));
    expect(answer).toMatchObject({ status: 400, error: { code: 'PGRST128' } });
  });
});

test('an estimated count is exact, below and above the maximum number of rows', async ({ client }) => {
  const rows = Array.from({ length: 4 }, (_, id) => ({ id, name: `thing ${id}` }));
  await client.from('things').insert(rows).throwOnError();
  const counted = client.from('things').select('id', { count: 'estimated' });
  expect((await counted.gt('id', 0)).count).toBe(3);
  const books = client.from('books').select('id', { count: 'estimated', head: true });
  expect((await books.gt('id', 100)).count).toBe(1100);
});

test('a change of all rows needs a condition', async ({ client }) => {
  await client.from('things').insert([{ name: 'a' }, { name: 'b' }]);
  expect(await client.from('things').delete()).toMatchObject({
    status: 400,
    error: { code: '21000', message: 'DELETE requires a WHERE clause' },
  });
  expect(await client.from('things').update({ name: 'c' })).toMatchObject({
    status: 400,
    error: { code: '21000', message: 'UPDATE requires a WHERE clause' },
  });
  expect((await client.from('things').select('name').order('name')).data).toEqual([
    { name: 'a' },
    { name: 'b' },
  ]);
});

test('other methods than those of PostgREST are refused', async ({ backend }) => {
  for (const path of ['things', 'rpc/count_things']) {
    const answer = await fetch(`${backend.url}/rest/v1/${path}`, {
      method: 'PROPFIND',
      headers: { apikey: backend.secretKey },
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      405,
      { code: 'PGRST117', message: 'Unsupported HTTP method: PROPFIND' },
    ]);
  }
});

test('a preference to roll back is neither followed nor reported as followed', async ({
  backend,
  client,
}) => {
  const answer = await fetch(`${backend.url}/rest/v1/things`, {
    method: 'POST',
    headers: {
      apikey: backend.secretKey,
      'content-type': 'application/json',
      prefer: 'return=representation, tx=rollback',
    },
    body: '{"name":"kept"}',
  });
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([201, 'return=representation']);
  expect((await client.from('things').select('name')).data).toEqual([{ name: 'kept' }]);
});

test('a Range header chooses rows', async ({ backend }) => {
  const books = (range: string, query = 'select=id&order=id') =>
    fetch(`${backend.url}/rest/v1/books?${query}`, {
      headers: { apikey: backend.secretKey, range, prefer: 'count=exact' },
    });
  const some = await books('10-12');
  expect([some.status, some.headers.get('content-range')]).toEqual([206, '10-12/1200']);
  expect(await some.json()).toEqual([{ id: 11 }, { id: 12 }, { id: 13 }]);
  const last = await books('1198-');
  expect([last.headers.get('content-range'), await last.json()]).toEqual([
    '1198-1199/1200',
    [{ id: 1199 }, { id: 1200 }],
  ]);
  for (const range of ['3-2', '1200-1300']) {
    const none = await books(range);
    expect([range, none.status, (await none.json()).code]).toEqual([range, 416, 'PGRST103']);
  }
  expect((await books('bytes=0-1')).headers.get('content-range')).toBe('0-999/1200');
  expect(await (await books('0-9', 'select=id&order=id&limit=1')).json()).toEqual([{ id: 1 }]);
});

test('a table that shares its name with one of a service schema is itself', async ({ client }) => {
  const users = await client.from('users').select('*');
  expect(users).toMatchObject({ error: null, data: [{ id: 1, nick: 'ann' }] });
  const messages = await client.from('messages').select('*, users(*)');
  expect(messages).toMatchObject({
    error: null,
    data: [{ id: 1, text: 'hello', author: 1, users: { id: 1, nick: 'ann' } }],
  });
});

test('a row as an argument arrives whole', async ({ client }) => {
  const thing = {
    id: 7,
    name: 'a "b" \\ c, (d)',
    note: null,
    kind: '',
    tags: ['x', 'y "z"'],
    data: { n: [1] },
  };
  expect(await client.rpc('describe_thing', { thing })).toMatchObject({ error: null, data: thing });
});

test('functions read the headers of the request, without keys and tokens', async ({ backend }) => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const answer = await fetch(`${backend.url}/rest/v1/rpc/request_headers`, {
    method: 'POST',
    headers: { apikey: backend.secretKey, traceparent, 'user-agent': 'a test', cookie: 'a=b' },
  });
  const headers = (await answer.json()) as Record<string, string>;
  expect(headers).toMatchObject({ traceparent, 'user-agent': 'a test' });
  expect(JSON.stringify(headers)).not.toMatch(/sb_secret|cookie|authorization/);
});
