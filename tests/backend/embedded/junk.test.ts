import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBackend, type TestBackend } from '../../support/backend.ts';

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend.stop());

/** As anybody may send it, with the public key. */
async function ask(path: string, body?: string, apikey = backend.publishableKey) {
  const answer = await fetch(backend.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...backend.headers, apikey, 'content-type': 'application/json' },
    body,
  });
  return { status: answer.status, told: (await answer.json()) as Record<string, unknown> };
}

// PGlite judges such values by itself, in errors that are none of PostgreSQL's.
test.each([
  ['/rest/v1/site?id=eq.x', undefined],
  ['/rest/v1/rpc/resolve_slug', '{"slug":{"a":1}}'],
  ['/rest/v1/rpc/resolve_slug', '[{"slug":"x"}]'],
])('a value of the wrong type is no fault of ours: %s %s', async (path, body) => {
  const { status, told } = await ask(path, body);
  expect([status, told.code]).toEqual([400, '22P02']);
});

// A column's name stands in the statement itself, which ends at such a character for PostgreSQL.
test.each(['/rest/v1/site?order=na%00me', '/rest/v1/site?na%00me=eq.x'])(
  'neither is a name that no text can hold: %s',
  async (path) => {
    // With the secret key: from anybody else a column that is not listed is refused before.
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => ask(path, undefined, backend.secretKey)),
    );
    expect(asked.map(({ status, told }) => [status, told.code])).toEqual(Array(20).fill([400, '22021']));
  },
);

// One object for the whole process: what a query said there would be said to everybody, until the next start.
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
])('nor is it what every object has, nor nests without end: %s', async (path) => {
  const { status, told } = await ask(path);
  expect([status, told.message]).toEqual([422, 'invalid']);
  expect((await ask('/rest/v1/rpc/resolve_slug', '{"slug":"constructor"}')).status).toBe(200);
});

test('by name or without one, nothing becomes a property of every object', async () => {
  const { status } = await ask('/rest/v1/topics', '{"__proto__":{"polluted":1},"slug":"x"}');
  expect(status).toBe(400);
  expect((await ask('/rest/v1/site?name=eq.__proto__&select=name')).told).toEqual([]);
});

test.each([
  ['["x"]', 'slug'],
  ['{"a":1}', 'wanted'],
])('neither is %s within itself, thousands of times', async (inside, name) => {
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

test.each([
  '/rest/v1/site?select=na;me',
  "/rest/v1/site?select=name'",
  '/rest/v1/site?name=is.DROP',
  '/rest/v1/site?name=',
  '/rest/v1/site?or=(and(or(',
  '/rest/v1/nothing',
  '/rest/v1/rpc/nothing',
])('and what cannot be read leaves no line in the log: %s', async (path) => {
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
])('neither is a body of %s', async (body) => {
  for (const path of [
    '/auth/v1/token?grant_type=password',
    '/auth/v1/token?grant_type=refresh_token',
    '/auth/v1/signup',
  ]) {
    const { status, told } = await ask(path, body);
    expect([path, status, told.error_code]).toEqual([path, 400, 'bad_json']);
  }
});

test('an escaped backslash is no control character', async () => {
  const body = JSON.stringify({ email: 'ann@example.com', password: 'ten \\u0000 characters' });
  expect((await ask('/auth/v1/signup', body)).status).toBe(200);
});
