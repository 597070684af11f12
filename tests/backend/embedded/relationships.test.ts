import { expect } from 'vitest';
import { anonClient, serviceClient } from '../../support/backend.ts';
import { test as base } from './probe.ts';

/* Embedding and functions that PostgREST finds by name. The expected texts are those of its documentation. */

/** A visitor, whose queries are checked and limited, and the server. */
const test = base.extend('clients', async ({ backend }) => {
  const headers = { ...backend.headers, 'x-forwarded-for': '198.51.100.20' };
  return [anonClient({ ...backend, headers }), serviceClient(backend)];
});

test('refuses to embed a table with several relationships, and names them', async ({ clients }) => {
  for (const client of clients) {
    expect(await client.from('orders').select('id, addresses(city)')).toMatchObject({
      status: 300,
      error: {
        code: 'PGRST201',
        message: "Could not embed because more than one relationship was found for 'orders' and 'addresses'",
        details: ['billing', 'shipping'].map((name) => ({
          cardinality: 'many-to-one',
          embedding: 'orders with addresses',
          relationship: `${name} using orders(${name}_address) and addresses(id)`,
        })),
        hint: "Try changing 'addresses' to one of the following: 'addresses!billing', 'addresses!shipping'. Find the desired relationship in the 'details' key.",
      },
    });
  }
});

test('embeds one of several relationships by its constraint or its column', async ({ clients }) => {
  for (const client of clients) {
    for (const columns of [
      'to:addresses!shipping(city)',
      'to:addresses!shipping_address(city)',
      'to:shipping_address(city)',
      'to:shipping(city)',
    ]) {
      const answer = await client.from('orders').select(columns);
      expect(answer).toMatchObject({ error: null, data: [{ to: { city: 'Sevilla' } }] });
    }
    const down = await client.from('addresses').select('city, orders!shipping(id)').order('id');
    expect(down.data).toEqual([
      { city: 'Bilbao', orders: [] },
      { city: 'Sevilla', orders: [{ id: 1 }] },
    ]);
  }
});

test('embeds the parent by the column, and the children by table and column', async ({ clients }) => {
  for (const client of clients) {
    const up = await client.from('genres').select('name, up:parent(name, up:parent(name))').order('id');
    expect(up).toMatchObject({
      error: null,
      data: [
        { name: 'fiction', up: null },
        { name: 'crime', up: { name: 'fiction', up: null } },
        { name: 'noir', up: { name: 'crime', up: { name: 'fiction' } } },
        { name: 'poetry', up: null },
      ],
    });
    const down = await client.from('genres').select('name, down:genres!parent(name)').order('id');
    expect(down).toMatchObject({
      error: null,
      data: [
        { name: 'fiction', down: [{ name: 'crime' }] },
        { name: 'crime', down: [{ name: 'noir' }] },
        { name: 'noir', down: [] },
        { name: 'poetry', down: [] },
      ],
    });
  }
});

test('says which relationship it does not find', async ({ clients }) => {
  for (const client of clients) {
    expect(await client.from('orders').select('id, genres(name)')).toMatchObject({
      status: 400,
      error: {
        code: 'PGRST200',
        message: "Could not find a relationship between 'orders' and 'genres' in the schema cache",
        details:
          "Searched for a foreign key relationship between 'orders' and 'genres' in the schema 'public', but no matches were found.",
      },
    });
  }
});

test.for([
  [
    undefined,
    'public.double_i without parameters',
    'without parameters or with a single unnamed json/jsonb parameter',
  ],
  [
    { b: 1, a: 1 },
    'public.double_i(a, b)',
    'with parameters a, b or with a single unnamed json/jsonb parameter',
  ],
] as const)(
  'says which function it does not find, with arguments %j',
  async ([args, name, searched], { clients }) => {
    for (const client of clients) {
      expect(await client.rpc('double_i', args)).toMatchObject({
        status: 404,
        error: {
          code: 'PGRST202',
          message: `Could not find the function ${name} in the schema cache`,
          details: `Searched for the function public.double_i ${searched}, but no matches were found in the schema cache.`,
          hint: 'Perhaps you meant to call the function public.double_it',
        },
      });
    }
  },
);

test('says between which functions the arguments do not decide', async ({ clients }) => {
  for (const client of clients) {
    expect(await client.rpc('double_it', { amount: 1 })).toMatchObject({
      status: 300,
      error: {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.double_it(amount => integer), public.double_it(amount => text)',
        details: null,
        hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
      },
    });
  }
});

test('names the schema of a table without relationships', async ({ clients: [, server] }) => {
  expect(await server?.from('tickets').select('id, painters(id)')).toMatchObject({
    status: 400,
    error: {
      code: 'PGRST200',
      details:
        "Searched for a foreign key relationship between 'tickets' and 'painters' in the schema 'public', but no matches were found.",
    },
  });
});
