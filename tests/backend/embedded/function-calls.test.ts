import type { SupabaseClient } from '@supabase/supabase-js';
import { describe, expect } from 'vitest';
import { serviceClient } from '../../support/backend.ts';
import { test as base } from './probe.ts';

const test = base.extend('client', ({ backend }) => serviceClient(backend));

type Answer = PromiseLike<{ data: unknown; error: unknown }>;

describe('a computed field', () => {
  const roots = { title: 'roots', loud_title: 'ROOTS' };

  test.for<[string, (client: SupabaseClient) => Answer, unknown]>([
    [
      'is selected from a table, with a name and a cast',
      (client) => client.from('paintings').select('title, loud_title, x:loud_title::text').eq('id', 1),
      [{ ...roots, x: 'ROOTS' }],
    ],
    [
      'filters and orders a table',
      (client) =>
        client
          .from('paintings')
          .select('id')
          .or('loud_title.eq.ROOTS,loud_title.like.DIEGO*')
          .order('loud_title', { ascending: false }),
      [{ id: 1 }, { id: 2 }],
    ],
    [
      'is selected from the rows of a function',
      (client) =>
        client
          .rpc('paintings_of', { painter_id: 1 })
          .select('title, loud_title, x:loud_title')
          .eq('loud_title', 'ROOTS')
          .order('loud_title'),
      [{ ...roots, x: 'ROOTS' }],
    ],
    [
      'is selected from the row of a function, beside its columns',
      (client) => client.rpc('painting', { painting_id: 1 }).select('*, loud_title'),
      { id: 1, painter: 1, ...roots },
    ],
    [
      'is selected from a function that embeds a table',
      (client) =>
        client
          .rpc('paintings_of', { painter_id: 1 })
          .select('loud_title, painters(x:loud_name, loud_name)')
          .not('loud_title', 'eq', 'ROOTS'),
      [{ loud_title: 'DIEGO AND I', painters: { x: 'FRIDA', loud_name: 'FRIDA' } }],
    ],
    [
      'is selected from and orders an embedded table',
      (client) =>
        client
          .from('painters')
          .select('loud_name, paintings(x:loud_title)')
          .order('loud_name')
          .order('loud_title', { referencedTable: 'paintings' }),
      [{ loud_name: 'FRIDA', paintings: [{ x: 'DIEGO AND I' }, { x: 'ROOTS' }] }],
    ],
    [
      'is selected from a spread table',
      (client) => client.from('paintings').select('loud_title, ...painters(x:loud_name)').eq('id', 1),
      [{ loud_title: 'ROOTS', x: 'FRIDA' }],
    ],
  ])('%s', async ([, ask, data], { client }) => {
    expect(await ask(client)).toMatchObject({ error: null, data });
  });

  test('is selected from and filters written rows', async ({ client }) => {
    const table = client.from('paintings');
    const added = await table
      .insert({ id: 3, title: 'viva', painter: 1 })
      .select('x:loud_title, painters(loud_name)');
    expect(added.data).toEqual([{ x: 'VIVA', painters: { loud_name: 'FRIDA' } }]);
    const changed = await table.update({ title: 'la vida' }).eq('loud_title', 'VIVA').select('loud_title');
    expect(changed.data).toEqual([{ loud_title: 'LA VIDA' }]);
    const removed = await table.delete().eq('loud_title', 'LA VIDA').select('loud_title');
    expect(removed.data).toEqual([{ loud_title: 'LA VIDA' }]);
  });
});

describe('an exception with the SQLSTATE PGRST', () => {
  test('describes the response', async ({ backend }) => {
    const refusal = { code: 'gone', message: 'It is gone.', details: null, hint: 'Look elsewhere.' };
    const answer = await fetch(`${backend.url}/rest/v1/rpc/refuse_with`, {
      method: 'POST',
      headers: { apikey: backend.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        message: JSON.stringify(refusal),
        detail: JSON.stringify({ status: 410, headers: { 'x-since': 'yesterday' } }),
      }),
    });
    expect([answer.status, answer.headers.get('x-since')]).toEqual([410, 'yesterday']);
    expect(await answer.json()).toEqual(refusal);
  });

  test.for([
    ['no JSON', '{}'],
    ['{"code":"a","message":"b"}', 'no JSON'],
    ['{"code":"a","message":"b"}', '{"status":9999,"headers":{}}'],
  ])('is a fault if it is malformed: %s, %s', async ([message, detail], { client }) => {
    expect((await client.rpc('refuse_with', { message, detail })).status).toBe(500);
  });
});

test('a refusal of a visitor by the database asks for a token', async ({ backend }) => {
  const answer = await fetch(`${backend.url}/rest/v1/paintings`, {
    headers: { apikey: backend.publishableKey },
  });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

describe('the body of a call', () => {
  const testBody = test.extend(
    'call',
    ({ backend }) =>
      async (name: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
        const headers = { apikey: backend.secretKey, 'content-type': type };
        const answer = await fetch(`${backend.url}/rest/v1/rpc/${name}`, { method: 'POST', headers, body });
        return [answer.status, await answer.json()];
      },
  );

  testBody.for<[string, string, string | Uint8Array<ArrayBuffer>, unknown]>([
    ['echo_text', 'text/plain', 'hello', 'hello'],
    ['echo_text', 'text/plain; charset=utf-8', '{"a": 1}', '{"a": 1}'],
    ['echo_text', 'text/plain', '', ''],
    ['echo_xml', 'text/xml', '<a/>', '<a/>'],
    ['echo_bytes', 'application/octet-stream', Uint8Array.of(0, 255, 65), '00ff41'],
    ['paintings_titled?select=id,loud_title', 'text/plain', 'roots', [{ id: 1, loud_title: 'ROOTS' }]],
    ['echo_json', 'application/json', '{"a":["b"]}', '{"a":["b"]}'],
    ['echo_json', 'application/json', '[{"a":1},{"a":2}]', '[{"a":1},{"a":2}]'],
    ['echo_json', 'application/json', '', '{}'],
    ['echo_json', 'application/json', '5', '[]'],
    ['echo_json', 'application/json', '"text"', '[]'],
    ['echo_either', 'application/json', '{}', 'json'],
    ['painting?select=id', 'application/json', '[{"painting_id":2},{"painting_id":1}]', { id: 2 }],
  ])('is the argument of %s as %s: %o', async ([name, type, body, result], { call }) => {
    expect(await call(name, type, body)).toEqual([200, result]);
  });

  testBody.for<[string, string, string | Uint8Array<ArrayBuffer>, number, object]>([
    [
      'no_function',
      'text/plain',
      'x',
      404,
      {
        code: 'PGRST202',
        message: 'Could not find the function public.no_function in the schema cache',
        details:
          'Searched for the function public.no_function with a single unnamed text parameter, but no matches were found in the schema cache.',
        hint: null,
      },
    ],
    ['painting', 'text/plain', '1', 404, { code: 'PGRST202' }],
    ['echo_text', 'application/octet-stream', 'x', 404, { code: 'PGRST202' }],
    ['echo_text', 'text/xml', 'x', 404, { code: 'PGRST202' }],
    ['echo_text', 'application/json', '{}', 404, { code: 'PGRST202' }],
    [
      'echo_json',
      'application/json',
      '[1]',
      400,
      { code: 'PGRST102', message: 'All object keys must match' },
    ],
    ['echo_json', 'application/json', '[{"a":1},{"b":1}]', 400, { code: 'PGRST102' }],
    ['echo_text', 'application/pdf', 'x', 400, { code: 'PGRST102' }],
    ['echo_text', 'text/plain', Uint8Array.of(255), 400, { code: '22021' }],
    ['echo_xml', 'text/xml', '<a', 400, { code: '2200N' }],
    ['echo_either', 'text/plain', 'x', 400, { code: 'PGRST127', message: 'Feature not implemented' }],
  ])('is refused by %s as %s: %o', async ([name, type, body, status, error], { call }) => {
    expect(await call(name, type, body)).toMatchObject([status, error]);
  });
});
