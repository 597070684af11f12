import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SERVER, SETTINGS } from '../../src/lib/i18n/cli.ts';
import { BACKEND_FLAGS, SITE_FLAGS } from '../../src/lib/server/memory-flags.ts';
import { startOwnedBackend } from '../support/backend.ts';
import { newDataFolder } from '../support/data-folders.ts';
import { StartError } from '../support/processes.ts';
import { startSite, type TestSite } from '../support/site.ts';

const PUBLIC_URL = 'https://news.example';

let site: TestSite;
beforeAll(async () => {
  site = await startSite({ environment: { SITE_URL: PUBLIC_URL } });
});
afterAll(() => site.stop());

/** A request with any header at all, answered with its status, headers and text. */
async function send(path: string, method = 'GET', headers: Record<string, string> = {}) {
  const outgoing = request(site.url + path, { method, headers: { connection: 'close', ...headers } });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('a form counts when it was posted at the public address or where the server listens', async () => {
  const { host } = new URL(site.url);
  const post = async (headers: Record<string, string>) =>
    (await send('/auth/sign-out', 'POST', { ...form, ...headers })).status;
  // As a proxy in front sends it, with its own idea of the host.
  expect(await post({ origin: PUBLIC_URL, host: 'news.example' })).toBe(303);
  expect(await post({ origin: PUBLIC_URL, host })).toBe(303);
  expect(await post({ origin: site.url, host })).toBe(303);
  expect(await post({ origin: 'https://evil.example', host: 'evil.example' })).toBe(403);
  expect(await post({ origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' })).toBe(403);
  expect(await post({ origin: site.url, host: 'news.example' })).toBe(403);
  expect(await post({})).toBe(403);
});

test('no page believes the Host header', async () => {
  const page = await send('/', 'GET', { host: 'evil.example', 'x-forwarded-host': 'evil.example' });
  expect(page.status).toBe(200);
  expect(page.text).toContain(PUBLIC_URL);
  expect(page.text).not.toContain('evil.example');
});

test('files that carry their digest are kept for good, and nothing but files is served from their folder', async () => {
  const [name] = await readdir('dist/client/_astro');
  const file = await send(`/_astro/${name}`);
  expect(file.status).toBe(200);
  expect(file.headers['cache-control']).toBe('public,max-age=31536000,immutable');
  expect(file.headers['x-content-type-options']).toBe('nosniff');
  for (const path of [
    '/_astro/',
    '/_astro/../server/entry.mjs',
    '/_astro/%2e%2e/%2e%2e/server/entry.mjs',
    '/build-id',
  ]) {
    expect((await send(path)).status, path).toBe(404);
  }
});

test('the backend is reached on the same port, with the public key, and only by its own paths', async () => {
  const answer = await send('/rest/v1/site?select=name', 'GET', { apikey: site.publishableKey });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toHaveLength(1);
  expect((await send('/rest/v1/site?select=name')).status).toBe(401);
  expect((await send('/_system/api/keys', 'GET', { apikey: site.secretKey })).status).toBe(404);
});

test('no page and no answer shows a key of the server', async () => {
  for (const path of ['/', '/sign-in', '/nowhere', '/rest/v1/', '/auth/v1/settings']) {
    const answer = await send(path, 'GET', { apikey: site.publishableKey });
    expect(answer.text + JSON.stringify(answer.headers), path).not.toContain(site.secretKey);
  }
});

test('a backend that dies is started again where it was', async () => {
  const pid = await backendPid();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await backendPid()).not.toBe(pid), { timeout: 20_000, interval: 100 });
  const ask = () => send('/rest/v1/site?select=name', 'GET', { apikey: site.publishableKey });
  await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 20_000, interval: 100 });
  expect((await send('/')).status).toBe(200);
});

async function backendPid(): Promise<number> {
  const announced = JSON.parse(await readFile(join(site.data, 'backend.json'), 'utf8')) as { pid: number };
  return announced.pid;
}

test.each([
  ['a folder in use', () => ({ data: site.data }), `${SERVER.notStarted}`],
  ['a port in use', () => ({ environment: { PORT: new URL(site.url).port } }), 'is in use: set PORT'],
  ['a setting that is wrong', () => ({ environment: { SITE_URL: 'news' } }), SETTINGS.siteUrl],
])('%s is said in one sentence, and nothing stays running', async (_what, options, sentence) => {
  const refused = await startSite(options()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect((refused as StartError).message).toContain(sentence);
  expect((refused as StartError).message).not.toMatch(/^\s+at /m);
  expect((refused as StartError).exitCode).toBe(1);
  expect((await send('/')).status).toBe(200);
});

test('the site stops with its backend, whether it is asked to or killed', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const other = await startSite();
    const { pid } = JSON.parse(await readFile(join(other.data, 'backend.json'), 'utf8')) as { pid: number };
    process.kill(other.pid, signal);
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), {
      timeout: 20_000,
      interval: 50,
    });
    expect(await other.stop()).toBe(signal === 'SIGKILL' ? null : 0);
  }
});

/** The command line of a process, and the number of the one that started it. */
async function processOf(pid: number): Promise<{ commandLine: string[]; parent: number }> {
  const [commandLine, status] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  return { commandLine: commandLine.split('\0'), parent: Number(/PPid:\s+(\d+)/.exec(status)?.[1]) };
}

test('each program runs with little memory, and all stop when npm has killed the shell that it ran them in', async () => {
  const data = await newDataFolder();
  const script = `'${process.execPath}' src/lib/server/start.ts; exit`;
  const env = { STOPPRESS_DATA: data, PORT: '0', npm_lifecycle_event: 'start' };
  const shell = spawn('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(shell.stdout, 'data');
  const { pid } = JSON.parse(await readFile(join(data, 'backend.json'), 'utf8')) as { pid: number };
  const backend = await processOf(pid);
  const { parent } = backend;
  const children = (await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')).trim().split(' ');
  const site = children.find((child) => child !== String(pid));
  const server = await processOf(Number(site));
  const environment = await readFile(`/proc/${parent}/environ`, 'utf8');
  shell.kill('SIGTERM');
  await vi.waitFor(async () => expect(await readdir(data)).not.toContain('backend.json'), {
    timeout: 20_000,
  });
  await rm(data, { recursive: true, force: true });
  expect(backend.commandLine).toEqual(expect.arrayContaining([...BACKEND_FLAGS]));
  expect(server.commandLine).toEqual(expect.arrayContaining([...SITE_FLAGS]));
  expect(server.commandLine.join(' ')).toContain('site-process.ts');
  expect(environment).toContain('MALLOC_ARENA_MAX=2');
});

test('with the URL of a project the site uses that one, passes nothing on, and one id leads through both logs', async () => {
  const project = await startOwnedBackend();
  const hosted = await startSite({
    environment: {
      PUBLIC_SUPABASE_URL: project.url,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: project.publishableKey,
      SUPABASE_SECRET_KEY: project.secretKey,
      // The backend that stands in for a project limits all who do not show that they are its website.
      STOPPRESS_BACKEND_HEADERS: JSON.stringify(project.headers),
    },
  });
  try {
    expect((await fetch(`${hosted.url}/`)).status).toBe(200);
    const headers = { apikey: project.publishableKey };
    expect((await fetch(`${hosted.url}/rest/v1/site`, { headers })).status).toBe(404);
    const csp = (await fetch(`${hosted.url}/sign-in`)).headers.get('content-security-policy');
    expect(csp).toContain(project.url);

    // A fault that is planted in the database, beneath a page that nobody keeps.
    await project.sql(`update pg_proc set prolang = (select oid from pg_language where lanname = 'plpgsql'),
      prosrc = $$begin raise exception using errcode = 'XX000', message = 'the inside of ada@news.example'; end$$
      where proname = 'tip_receipt' returning proname`);
    const page = await fetch(`${hosted.url}/tips/${randomUUID()}`, { headers: { 'x-request-id': 'mine' } });
    const id = String(page.headers.get('x-request-id'));
    expect(page.status).toBe(500);
    expect(id).toMatch(/^[0-9a-z]{12}$/);
    const quoted = await page.text();
    expect(quoted).toContain(id);
    for (const log of [hosted.errors(), project.errors()]) expect(log).toContain(id);
    expect(project.errors()).toMatch(new RegExp(`request ${id}[^]*XX000[^]*the inside of \\[address\\]`));
    expect(quoted + hosted.errors()).not.toMatch(/the inside|mine/);
  } finally {
    await hosted.stop();
    await project.stop();
  }
});

test('a file goes up in parts through the one port, at an address that any proxy may stand before', async () => {
  await site.service.storage.createBucket('parts');
  const bytes = randomBytes(7_000_000);
  const locations: (string | undefined)[] = [];
  await new Promise<void>((onSuccess, onError) => {
    new Upload(bytes, {
      endpoint: `${site.url}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${site.secretKey}`, apikey: site.secretKey },
      metadata: { bucketName: 'parts', objectName: 'a/b.bin' },
      chunkSize: 6 * 1024 * 1024,
      uploadDataDuringCreation: true,
      onAfterResponse: (_request, response) => void locations.push(response.getHeader('location')),
      onSuccess: () => onSuccess(),
      onError,
    }).start();
  });
  expect(locations).toEqual([
    expect.stringMatching(/^\/storage\/v1\/upload\/resumable\/[0-9a-f-]+$/),
    undefined,
  ]);
  const { data } = await site.service.storage.from('parts').download('a/b.bin');
  expect(data && bytes.equals(Buffer.from(await data.arrayBuffer()))).toBe(true);
});
