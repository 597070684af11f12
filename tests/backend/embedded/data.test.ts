import { describe, expect } from 'vitest';
import { anonClient, serviceClient, signUp, type TestBackend } from '../../support/backend.ts';
import { test } from './probe.ts';

let backend: TestBackend;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${backend.url}${path}`, { headers });

describe('routes', () => {
  test.each(['/', '/_system/config', '/_system/info', '/_system/introspect', '/rest/v1/'])(
    '%s does not exist, even with the secret key',
    async (path) => {
      const answer = await get(path, { apikey: backend.secretKey });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ code: 'not_found', message: 'There is nothing here.' });
    },
  );

  test('/health needs no key and reveals nothing', async () => {
    expect(await (await get('/health')).json()).toEqual({ status: 'ok' });
  });

  test.each(['/rest/v1/kinds', '/auth/v1/user', '/auth/v1/settings'])('%s needs a key', async (path) => {
    expect((await get(path)).status).toBe(401);
    expect((await get(path, { apikey: 'sb_publishable_wrong' })).status).toBe(401);
    expect((await get(`${path}?apikey=${backend.publishableKey}`)).status).toBe(401);
  });

  test('other origins are allowed', async () => {
    const answer = await fetch(`${backend.url}/rest/v1/kinds`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://else.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey,authorization,content-profile',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toContain('content-profile');
  });
});

describe('permissions', () => {
  test('stay closed without a grant, however many requests were answered', async () => {
    const { client, user } = await signUp(backend);
    expect((await client.from('notes').insert({ body: 'first' })).error).toBeNull();

    expect((await client.from('closed').select()).error?.code).toBe('42501');
    expect((await anonClient(backend).from('closed').select()).status).toBe(401);
    expect((await client.from('notes').select('hidden')).error?.code).toBe('42501');
    expect((await client.from('notes').update({ hidden: 'mine' }).eq('body', 'first')).error?.code).toBe(
      '42501',
    );

    const rows = await serviceClient(backend)
      .from('notes')
      .select('owner, hidden')
      .eq('body', 'first')
      .single();
    expect(rows.data).toEqual({ owner: user.id, hidden: 'never granted' });
  });

  test('policies see all claims of the caller', async () => {
    const { client, user } = await signUp(backend);
    const mine = await client.rpc('who_am_i');
    expect(mine.data).toEqual({
      runs_as: 'authenticated',
      uid: user.id,
      role: 'authenticated',
      email: user.email,
      aal: 'aal1',
    });
    const nobody = await anonClient(backend).rpc('who_am_i');
    expect(nobody.data).toEqual({ runs_as: 'anon', uid: null, role: 'anon', email: null, aal: null });
    const server = await serviceClient(backend).rpc('who_am_i');
    expect(server.data).toMatchObject({ runs_as: 'service_role', uid: null, role: 'service_role' });
  });

  test('a person sees no rows of other people', async () => {
    const [ada, ben] = [await signUp(backend), await signUp(backend)];
    await ada.client.from('notes').insert({ body: 'of ada' });
    expect((await ben.client.from('notes').select('id').eq('body', 'of ada')).data).toEqual([]);
  });
});

describe('values', () => {
  test("have PostgREST's formats", async () => {
    const { data } = await anonClient(backend).from('kinds').select().single();
    expect(data).toEqual({
      id: 1,
      instant: '2026-11-20T16:19:13.405+00:00',
      local: '2026-11-20T16:19:13',
      amount: 1.1,
      bytes: '\\x0102',
      instants: ['2026-11-20T16:19:13+00:00'],
      flag: true,
    });
  });

  test.each([
    'true',
    'FALSE',
    'null',
    'not_null',
    'unknown',
    '1e3',
    '1.50',
    '0x1f',
    '12345678901234567890',
    '{"a":1}',
    '"quoted"',
    'a,b.eq.true',
    ' padded ',
    'back\\slash',
  ])('of a text column can be compared with %j', async (body) => {
    const notes = serviceClient(backend).from('notes');
    await notes.insert({ body });
    const isPlain = !/[,()"{}\\]/.test(body);
    const listed = isPlain ? body : `"${body.replace(/["\\]/g, '\\$&')}"`;
    const questions = [
      notes.select('body').eq('body', body),
      notes.select('body').not('body', 'neq', body),
      notes.select('body').filter('body', 'in', `(${listed},another)`),
      notes.select('body').or(`and(id.gt.0,body.in.(${listed},another))`),
      ...(isPlain ? [notes.select('body').or(`body.eq.${body},id.eq.-1`)] : []),
    ];
    for (const question of questions) {
      expect(await question).toMatchObject({ error: null, data: [{ body }] });
    }
  });

  test('of other types are compared with values of their types', async () => {
    const countRows = async (filter: string) => {
      const headers = { ...backend.headers, apikey: backend.publishableKey };
      const answer = await get(`/rest/v1/kinds?select=id&${filter}`, headers);
      return answer.status === 200 ? ((await answer.json()) as unknown[]).length : answer.status;
    };
    expect(await countRows('id=eq.1&flag=eq.true&amount=eq.1.1&amount=lte.1.10')).toBe(1);
    expect(await countRows('id=in.(1,2)&flag=in.(true)&flag=neq.false&flag=not.eq.false')).toBe(1);
    expect(await countRows('instant=eq.2026-11-20T16:19:13.405Z')).toBe(1);
    expect(await countRows('flag=eq.false')).toBe(0);
    expect(await countRows('flag=eq.maybe')).toBe(400);
    expect(await countRows('id=eq.null')).toBe(400);
  });

  test.each([
    'hello',
    '123',
    'true',
    'null',
    '{"a":1}',
    '"quoted"',
    '',
    123,
    true,
    null,
    { a: '1' },
    ['1', 2],
  ])('of a JSON column or argument stay what they are: %j', async (value) => {
    const documents = serviceClient(backend).from('documents');
    const inserted = await documents
      .upsert({ id: 1, body: value, plain: value })
      .select('body, plain')
      .single();
    expect(inserted).toMatchObject({ error: null, data: { body: value, plain: value } });
    const many = await documents
      .upsert([
        { id: 1, body: value },
        { id: 2, body: value },
      ])
      .select('body');
    expect(many).toMatchObject({ error: null, data: [{ body: value }, { body: value }] });
    await documents.update({ body: { empty: true } }).eq('id', 1);
    const updated = await documents.update({ body: value }).eq('id', 1).select('body').single();
    expect(updated).toMatchObject({ error: null, data: { body: value } });
    const type = await serviceClient(backend).rpc('json_type', { value });
    const expected = Array.isArray(value) ? 'array' : value === null ? null : typeof value;
    expect(type).toMatchObject({ error: null, data: expected });
  });

  test('extensions are in the same schemas as in a hosted project', async () => {
    const { data } = await serviceClient(backend).rpc('likeness', { a: 'été', b: 'ete' });
    expect(data).toBe(1);
  });
});

describe('errors', () => {
  test.each([
    ['PT409', 409],
    ['PT422', 422],
    ['PT503', 503],
  ])('%s of a function passes through', async (code, status) => {
    const answer = await serviceClient(backend).rpc('refuse', { error_code: code });
    expect(answer.status).toBe(status);
    expect(answer.error).toMatchObject({
      code,
      message: 'bad_state',
      details: '{"field":"state"}',
      hint: 'Reopen it first.',
    });
  });

  test('of constraints quote a key, and never the row', async () => {
    // Uses the server's key, because the database hides details from callers who may not read the row.
    const server = serviceClient(backend);
    const notes = server.from('notes');
    const tooLong = await notes.insert({ body: 'longer than twenty characters' });
    expect(tooLong.status).toBe(400);
    expect(tooLong.error).toMatchObject({ code: '23514', details: null });

    await notes.insert({ body: 'only once' });
    const twice = await notes.insert({ body: 'only once' });
    expect(twice).toMatchObject({
      status: 409,
      error: {
        code: '23505',
        message: 'duplicate key value violates unique constraint "notes_body_key"',
        details: 'Key (body)=(only once) already exists.',
        hint: null,
      },
    });
    const missing = await server.from('genres').insert({ id: 100, name: 'essays', parent: 404 });
    expect(missing).toMatchObject({
      status: 409,
      error: { code: '23503', details: 'Key (parent)=(404) is not present in table "genres".' },
    });
    expect(JSON.stringify([tooLong.error, twice.error])).not.toMatch(/never granted|longer than/);
    expect(backend.errors()).not.toContain('only once');
  });

  test('of faults contain an id only, and the log has the rest', async () => {
    const answer = await serviceClient(backend).rpc('refuse', { error_code: 'XX000' });
    expect(answer.status).toBe(500);
    const { code, message, id } = answer.error as unknown as Record<string, string>;
    expect({ code, message }).toEqual({ code: 'internal', message: 'Something went wrong.' });
    expect(JSON.stringify(answer.error)).not.toContain('bad_state');
    expect(backend.errors()).toContain(id);

    const elsewhere = await fetch(`${backend.url}/rest/v1/rpc/refuse`, {
      method: 'POST',
      headers: {
        apikey: backend.secretKey,
        origin: 'https://else.example',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ error_code: 'XX000' }),
    });
    expect(elsewhere.status).toBe(500);
    expect(elsewhere.headers.get('access-control-allow-origin')).toBe('*');
  });
});
