import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBackend, type TestBackend } from '../../support/backend.ts';

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend.stop());

/** As anybody may send it, with the public key. */
async function ask(path: string, body?: string) {
  const answer = await fetch(backend.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
    body,
  });
  return { status: answer.status, told: (await answer.json()) as Record<string, unknown> };
}

// PGlite judges such values by itself, in errors that are none of PostgreSQL's.
test.each([
  ['/rest/v1/site?here=eq.x', undefined],
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
    const asked = await Promise.all(Array.from({ length: 20 }, () => ask(path)));
    expect(asked.map(({ status, told }) => [status, told.code])).toEqual(Array(20).fill([400, '22021']));
  },
);

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
