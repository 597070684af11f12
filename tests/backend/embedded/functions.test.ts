import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import {
  createClient,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
  type SupabaseClient,
} from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, serviceClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { MIGRATIONS, newDataFolder, removeData } from '../../support/data-folders.ts';
import { eventually } from '../../support/eventually.ts';

const environment = {
  EMBEDDED_SUPABASE_FUNCTIONS: resolve('tests/backend/embedded/functions-project/functions'),
};

let backend: TestBackend;
let anon: SupabaseClient;

beforeAll(async () => {
  backend = await startBackend({ environment, data: await newDataFolder(MIGRATIONS) });
  anon = anonClient(backend);
});
afterAll(async () => {
  await backend.stop();
  await removeData(backend.data);
});

/** Calls a function without supabase-js. */
const call = (path: string, init?: RequestInit) => fetch(`${backend.url}/functions/v1/${path}`, init);

const invoke = (path: string, body: object = {}) => anon.functions.invoke(path, { body });

const pidOf = async (name: string): Promise<number> => (await invoke(`${name}/pid`)).data;

/** Returns whether a process runs. A zombie process has ended. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

test("passes the call on with the gateway's claims, and without those that the caller sent", async () => {
  const response = await call('steady/a%20b/echo?x=1&x=2', {
    method: 'PUT',
    body: 'words',
    headers: {
      ...backend.headers,
      authorization: 'Bearer anything',
      'content-type': 'text/plain',
      cookie: 'session=mine',
      forwarded: 'for=192.0.2.1',
      'x-forwarded-for': '192.0.2.1, 198.51.100.7',
      'x-real-ip': '192.0.2.1',
    },
  });
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const { method, url, headers, body, environment: told, word } = await response.json();
  expect({ method, body, word }).toEqual({ method: 'PUT', body: 'words', word: 'shared' });
  expect(url).toBe(`${backend.url}/steady/a%20b/echo?x=1&x=2`);
  expect(headers).toMatchObject({ authorization: 'Bearer anything', 'x-forwarded-for': '198.51.100.7' });
  for (const name of ['cookie', 'forwarded', 'x-real-ip', ...Object.keys(backend.headers)])
    expect(headers).not.toHaveProperty(name);
  expect(told).toMatchObject({
    SUPABASE_URL: backend.url,
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: backend.secretKey }),
    SUPABASE_FUNCTION_SLUG: 'steady',
    NEWSROOM_WORD: 'stoppress',
  });
  expect(told).not.toHaveProperty('EMBEDDED_SUPABASE_DATA');

  const page = await call('steady/page');
  expect(page.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(page.headers.get('content-security-policy')).toContain('sandbox');
  expect(page.headers.has('set-cookie')).toBe(false);
  await page.body?.cancel();
  expect((await call('steady/echo', { method: 'HEAD' })).status).toBe(200);
});

test('streams bodies in both directions, and reports a caller who leaves', async () => {
  const sent = new TransformStream<Uint8Array, Uint8Array>();
  const writer = sent.writable.getWriter();
  const upload: RequestInit & { duplex: 'half' } = { method: 'POST', body: sent.readable, duplex: 'half' };
  const calling = call('steady/back', upload);
  const say = (text: string) => writer.write(new TextEncoder().encode(text));
  await say('one');
  const reader = (await calling).body?.getReader();
  const readChunk = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await readChunk()).toBe('one');
  await say('two');
  expect(await readChunk()).toBe('two');
  await writer.close();

  const leaving = new AbortController();
  await call('steady/endless', { signal: leaving.signal });
  leaving.abort();
  await eventually(async () => expect((await invoke('steady/aborted')).data).toBe(1));

  const tooLarge = new Uint8Array(6 * 1024 * 1024 + 1);
  expect((await call('steady/echo', { method: 'POST', body: tooLarge })).status).toBe(413);
  const undeclared = { method: 'POST', body: new Blob([tooLarge]).stream(), duplex: 'half' };
  expect((await call('steady/echo', undeclared)).status).toBe(413);
  const hasty = await call('steady/hasty', { method: 'POST', body: new Uint8Array(5 * 1024 * 1024) });
  expect(await hasty.text()).toBe('enough');

  expect((await call('steady/later')).status).toBe(204);
  await eventually(() => expect(backend.output()).toContain('function steady: in the background (request '));
});

test('withSupabase identifies the caller and reads with its permissions', async () => {
  const { client, user } = await signUp(backend);
  const { data: mine, error } = await client.functions.invoke('asker');
  expect(error).toBeNull();
  expect(mine).toMatchObject({ mode: 'user', caller: user.id });
  expect(mine.all).toContainEqual({ id: user.id });
  const { data: read } = await client.from('people').select('id');
  expect(mine.sees).toEqual(read);

  expect((await anon.functions.invoke('asker')).data).toMatchObject({ mode: 'publishable', sees: [] });
  const { data: server } = await serviceClient(backend).functions.invoke('asker');
  expect(server).toMatchObject({ mode: 'secret' });

  const nobody = await createClient(backend.url, 'sb_publishable_another').functions.invoke('asker');
  expect(nobody.error).toBeInstanceOf(FunctionsHttpError);
  expect(nobody.response?.status).toBe(401);

  const asked = await call('asker', {
    method: 'OPTIONS',
    headers: { origin: 'https://news.example', 'access-control-request-method': 'POST' },
  });
  expect(asked.ok).toBe(true);
  expect(asked.headers.get('access-control-allow-origin')).toBe('*');
  expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
});

test('requires a token for a function that leaves the check to the gateway', async () => {
  const { client } = await signUp(backend);
  expect((await client.functions.invoke('guarded')).data).toBe('in');
  expect((await call('guarded', { method: 'OPTIONS' })).status).toBe(200);
  const withKey = { authorization: `Bearer ${backend.publishableKey}` };
  expect((await call('guarded', { headers: withKey })).status).toBe(200);

  const codes: (string | null)[] = [];
  for (const authorization of [undefined, 'Basic x', 'Bearer a.b.c']) {
    const response = await call('guarded', authorization ? { headers: { authorization } } : {});
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    codes.push(response.headers.get('sb-error-code'));
  }
  expect(codes).toEqual([
    'UNAUTHORIZED_NO_AUTH_HEADER',
    'UNAUTHORIZED_INVALID_JWT_FORMAT',
    'UNAUTHORIZED_ASYMMETRIC_JWT',
  ]);
});

test("returns errors in the client's formats, without internals", async () => {
  for (const name of ['nobody', 'off', '_shared', 'constructor']) {
    const { error, response } = await invoke(name);
    expect(error).toBeInstanceOf(FunctionsHttpError);
    expect(response?.status).toBe(404);
    expect(await response?.json()).toMatchObject({ code: 'NOT_FOUND' });
  }

  const broken = await invoke('broken');
  expect(broken.error).toBeInstanceOf(FunctionsRelayError);
  expect(broken.response?.status).toBe(503);
  expect(await broken.response?.json()).toMatchObject({ code: 'BOOT_ERROR' });

  const tracing = request(`${backend.url}/functions/v1/steady`, { method: 'TRACE' }).end();
  const [traced]: IncomingMessage[] = await once(tracing, 'response');
  traced?.resume();
  expect(traced?.statusCode).toBe(405);
  expect(traced?.headers.allow).toContain('POST');

  for (const deed of ['throw', 'nothing', 'late']) {
    const { error, response } = await invoke(`wild/${deed}`);
    expect(error).toBeInstanceOf(FunctionsHttpError);
    expect(response?.status).toBe(500);
    const text = await response?.text();
    expect(JSON.parse(text ?? '')).toMatchObject({ code: 'WORKER_ERROR' });
    expect(text).not.toContain('secret');
  }
  expect(backend.errors()).toMatch(/^function wild: .*a secret of the inside/m);

  const away = createClient('http://127.0.0.1:9', backend.publishableKey);
  expect((await away.functions.invoke('steady')).error).toBeInstanceOf(FunctionsFetchError);
});

test('survives a killed process, and the next call works', async () => {
  const streaming = await call('steady/endless');
  const reader = streaming.body?.getReader();
  await reader?.read();

  const pid = await pidOf('wild');
  const begun = (await call('wild/drip')).body?.getReader();
  await begun?.read();
  const waiting = invoke('wild/hang');
  // Another call gives the process time to receive the waiting call before it is killed.
  await pidOf('wild');
  process.kill(pid, 'SIGKILL');
  // The next call arrives while the process ends.
  const next = await pidOf('wild');
  expect(next).toBeGreaterThan(0);
  expect(next).not.toBe(pid);
  expect((await waiting).response?.status).toBe(546);
  // An incomplete response must fail.
  await expect(begun?.read()).rejects.toThrow();
  const told = /.*aborted.*|.*broke off.*|^ +at .*socketCloseListener.*/gm;
  await eventually(() =>
    expect(backend.errors().match(told)).toEqual(['function wild: its answer broke off.']),
  );
  expect((await invoke('steady/hasty')).data).toBe('enough');

  const stillOpen = Symbol();
  expect(await Promise.race([reader?.read(), Promise.resolve(stillOpen)])).toBe(stillOpen);
  await reader?.cancel();
});

test('ends only the process with an endless loop or too much memory', async () => {
  const ends = Promise.all(['loop', 'heap', 'buffers'].map((deed) => invoke(`${deed}/${deed}`)));
  await eventually(() => expect(backend.output()).toContain('function loop: for ever'));
  const behind = invoke('loop/pid');
  let isOver = false;
  const over = ends.finally(() => {
    isOver = true;
  });
  while (!isOver) expect((await invoke('steady/hasty')).data).toBe('enough');
  // The call had not started, so it was not lost.
  expect((await behind).error).toBeNull();
  for (const { error, response } of await over) {
    expect(error).toBeInstanceOf(FunctionsHttpError);
    expect(response?.status).toBe(546);
    expect(await response?.json()).toMatchObject({ code: 'WORKER_RESOURCE_LIMIT' });
  }
  for (const name of ['loop', 'heap', 'buffers']) expect(await pidOf(name)).toBeGreaterThan(0);
  expect(backend.errors()).toMatch(/^function loop: .*did not respond/m);
  expect(backend.errors()).toMatch(/^function buffers: .*memory/m);
});

test('allows a function to read its own files and reach the backend, and nothing else', async () => {
  const other = createServer((_request, response) => response.end('reached'));
  other.listen(0, '127.0.0.1');
  await eventually(() => expect(other.listening).toBe(true));
  const file = join(backend.data, 'keys.json');
  const { port } = other.address() as AddressInfo;
  try {
    const { data } = await invoke('wild/probe', { file, port, url: backend.url });
    const { backend: reached, remote, exit, worker, ...denied } = data;
    expect(reached).toEqual({ status: 'ok' });
    expect(new Set(Object.values(denied))).toEqual(new Set(['NotCapable']));
    expect(Object.keys(denied)).toHaveLength(9);
    expect([remote, worker]).toEqual(['TypeError', 'Error']);
    expect(exit).toBe('Error');
  } finally {
    other.close();
  }
});

test('no function survives its backend', async () => {
  const pids = [await pidOf('wild'), await pidOf('heap'), await pidOf('loop')];
  const loops = () => backend.output().split('function loop: for ever').length;
  const before = loops();
  const looping = invoke('loop/loop');
  await eventually(() => expect(loops()).toBe(before + 1));
  await backend.kill();
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
  expect((await looping).error).toBeInstanceOf(FunctionsFetchError);

  backend = await startBackend({ environment, data: backend.data });
  anon = anonClient(backend);
  const pid = await pidOf('wild');
  expect(await backend.stop()).toBe(0);
  expect(isRunning(pid)).toBe(false);
});
