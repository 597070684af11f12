import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, expect } from 'vitest';
import type { TestBackend } from '../../support/backend.ts';
import { test } from '../../support/backend-test.ts';

let backend: TestBackend;
test.beforeAll(async ({ context }) => {
  backend = context.backend;
});

/** Sends a request with the publishable key. */
async function ask(path: string, body?: string, apikey = backend.publishableKey) {
  const answer = await fetch(backend.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...backend.headers, apikey, 'content-type': 'application/json' },
    body,
  });
  return { status: answer.status, told: (await answer.json()) as Record<string, unknown> };
}

// PGlite reports such values with its own errors.
test.each([
  ['/rest/v1/site?id=eq.x', undefined],
  ['/rest/v1/rpc/resolve_slug', '{"slug":{"a":1}}'],
  ['/rest/v1/rpc/resolve_slug', '[{"slug":{"a":1}}]'],
])('answers a value of the wrong type with 400: %s %s', async (path, body) => {
  const { status, told } = await ask(path, body);
  expect([status, told.code]).toEqual([400, '22P02']);
});

// A column name is part of the statement, which ends at NUL.
test.each(['/rest/v1/site?order=na%00me', '/rest/v1/site?na%00me=eq.x'])(
  'neither is a name that no text can hold: %s',
  async (path) => {
    // Uses the secret key, because the access list refuses unknown columns to other callers.
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => ask(path, undefined, backend.secretKey)),
    );
    expect(asked.map(({ status, told }) => [status, told.code])).toEqual(Array(20).fill([400, '22021']));
  },
);

// A polluted prototype would affect the whole process until its next start.
test.each([
  '/rest/v1/site?__proto__=eq.1',
  '/rest/v1/site?%5f_proto__=is.null',
  '/rest/v1/site?select=id&__proto__.id=eq.1',
  '/rest/v1/site?select=__proto__(x)',
  '/rest/v1/site?or=(__proto__.eq.1,constructor.is.null)',
  '/rest/v1/site?and=(constructor.prototype.eq.1)',
  '/rest/v1/rpc/resolve_slug?__proto__=1&constructor=2',
  '/rest/v1/rpc/__proto__',
  '/rest/v1/site?name=toString.x',
  '/rest/v1/site?name=not.valueOf',
  '/rest/v1/%ff',
  `/rest/v1/site?or=(${'and('.repeat(101)}name.eq.x,name.eq.y${')'.repeat(101)})`,
])('refuses properties of all objects, and endless nesting: %s', async (path) => {
  const { status, told } = await ask(path);
  expect([status, told.message]).toEqual([422, 'invalid']);
  expect((await ask('/rest/v1/rpc/resolve_slug', '{"slug":"constructor"}')).status).toBe(200);
});

test('no request adds a property to all objects', async () => {
  const { status } = await ask('/rest/v1/topics', '{"__proto__":{"polluted":1},"slug":"x"}');
  expect(status).toBe(400);
  expect((await ask('/rest/v1/site?name=eq.__proto__&select=name')).told).toEqual([]);
});

test.each([
  ['["x"]', 'slug'],
  ['{"a":1}', 'filters'],
])('refuses %s nested thousands of times', async (inside, name) => {
  const [open, close] = inside.startsWith('[') ? ['[', ']'] : ['{"a":', '}'];
  for (const times of [65, 5_000, 40_000]) {
    const body = `{"${name}":${open.repeat(times)}${inside}${close.repeat(times)}}`;
    for (const path of ['/rest/v1/rpc/search', '/rest/v1/topics']) {
      expect((await ask(path, body)).status, path).toBe(422);
    }
  }
  const deep = open.repeat(40_000) + inside + close.repeat(40_000);
  const sent = `{"messages":[{"topic":"t","event":"e","payload":${deep}}]}`;
  expect((await ask('/realtime/v1/api/broadcast', sent)).status).toBe(422);
});

describe('storage', () => {
  const NESTED = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  const send = (method: string, path: string, body: string | FormData, headers: Record<string, string>) =>
    fetch(`${backend.url}/storage/v1${path}`, {
      method,
      headers: { apikey: backend.secretKey, ...headers },
      body,
    });

  test.each([
    ['POST', '/bucket', '"name":"nested"'],
    ['PUT', '/bucket/photos', '"public":false'],
    ['POST', '/object/list/photos', '"prefix":""'],
    ['POST', '/object/list-v2/photos', '"prefix":""'],
    ['POST', '/object/sign/photos', '"expiresIn":60,"paths":["x"]'],
    ['DELETE', '/object/photos', '"prefixes":["x"]'],
  ])('refuses deeply nested JSON: %s %s', async (method, path, fields) => {
    const body = `{${fields},"other":${NESTED}}`;
    const response = await send(method, path, body, { 'content-type': 'application/json' });
    const message = 'The JSON is nested too deeply.';
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'InvalidRequest', message },
    ]);
  });

  test('refuses deeply nested metadata of an upload', async () => {
    await send('POST', '/bucket', '{"name":"any"}', {});
    const form = new FormData();
    form.append('metadata', NESTED);
    form.append('', new Blob(['x']));
    const header = Buffer.from(`{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`).toString('base64');
    const responses = [
      await send('POST', '/object/any/form.txt', form, {}),
      await send('POST', '/object/any/bytes.txt', 'x', { 'x-metadata': header }),
    ];
    for (const response of responses) {
      const message = 'The metadata must be a JSON object.';
      expect([response.status, await response.json()]).toMatchObject([400, { message }]);
    }
    expect(backend.errors()).toBe('');
  });

  test('keeps the connection of a request that it answers without reading the body', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const deleteBucket = async (bytes: number) => {
      const sent = request(`${backend.url}/storage/v1/bucket/missing`, {
        method: 'DELETE',
        agent,
        headers: { apikey: backend.secretKey, 'content-length': bytes },
      });
      const isFree = once(agent, 'free');
      sent.end(Buffer.alloc(bytes, ' '));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      await Promise.all([once(response, 'end'), isFree]);
      return { status: response.statusCode, reused: sent.reusedSocket };
    };
    try {
      expect(await deleteBucket(1024 * 1024)).toEqual({ status: 400, reused: false });
      expect(await deleteBucket(3 * 1024 * 1024)).toEqual({ status: 400, reused: true });
      expect(await deleteBucket(2)).toEqual({ status: 400, reused: true });
    } finally {
      agent.destroy();
    }
  });
});

test.each([
  '/rest/v1/site?select=na;me',
  "/rest/v1/site?select=name'",
  '/rest/v1/site?name=is.DROP',
  '/rest/v1/site?name=',
  '/rest/v1/site?or=(and(or(',
  '/rest/v1/nothing',
  '/rest/v1/rpc/nothing',
])('writes nothing to the log for unreadable requests: %s', async (path) => {
  const { status, told } = await ask(path);
  expect([400, 404]).toContain(status);
  expect(JSON.stringify(told)).not.toMatch(/node_modules|\.ts:|file:/);
  expect(backend.errors()).toBe('');
});

test.each([
  'null',
  '{"email":1,"password":2}',
  '{"email":"a\\u0000@example.com","password":"correct horse battery"}',
  '{"email":"a@example.com","password":"correct horse battery","data":{"display_name":"\\u0000"}}',
])('answers a body of %s without a fault', async (body) => {
  for (const path of [
    '/auth/v1/token?grant_type=password',
    '/auth/v1/token?grant_type=refresh_token',
    '/auth/v1/signup',
  ]) {
    const { status, told } = await ask(path, body);
    expect([path, status, told.error_code]).toEqual([path, 400, 'bad_json']);
  }
});

test('accepts an escaped backslash, which is no control character', async () => {
  const body = JSON.stringify({ email: 'ann@example.com', password: 'ten \\u0000 characters' });
  expect((await ask('/auth/v1/signup', body)).status).toBe(200);
});
