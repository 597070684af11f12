import { fork, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { SERVER, SETTINGS } from '../../src/lib/i18n/cli.ts';
import { BACKEND_FLAGS, SITE_FLAGS } from '../../src/lib/server/memory-flags.ts';
import { startOwnedBackend } from '../support/backend.ts';
import { newDataFolder } from '../support/data-folders.ts';
import { COMPILE_CACHE, StartError } from '../support/processes.ts';
import { startSite, type TestSite } from '../support/site.ts';

const PUBLIC_URL = 'https://news.example';

let site: TestSite;
beforeAll(async () => {
  site = await startSite({ environment: { SITE_URL: PUBLIC_URL } });
});
afterAll(() => site.stop());

/** Sends a request with any headers, and reads status, headers and text of the response. */
async function send(path: string, method = 'GET', headers: Record<string, string> = {}) {
  const outgoing = request(site.url + path, { method, headers: { connection: 'close', ...headers } });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('accepts forms from the public address or the listening address only', async () => {
  const { host } = new URL(site.url);
  const post = async (headers: Record<string, string>) =>
    (await send('/auth/sign-out', 'POST', { ...form, ...headers })).status;
  // As a proxy in front sends it, with the public host or its own.
  expect(await post({ origin: PUBLIC_URL, host: 'news.example' })).toBe(303);
  expect(await post({ origin: PUBLIC_URL, host })).toBe(303);
  expect(await post({ origin: site.url, host })).toBe(303);
  expect(await post({ origin: 'https://evil.example', host: 'evil.example' })).toBe(403);
  expect(await post({ origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' })).toBe(403);
  expect(await post({ origin: site.url, host: 'news.example' })).toBe(403);
  expect(await post({})).toBe(403);
});

test('ignores the Host header in pages', async () => {
  const page = await send('/', 'GET', { host: 'evil.example', 'x-forwarded-host': 'evil.example' });
  expect(page.status).toBe(200);
  expect(page.text).toContain(PUBLIC_URL);
  expect(page.text).not.toContain('evil.example');
});

test('caches hashed files for good and serves no other paths of their folder', async () => {
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

test("proxies the backend's public paths with the publishable key, and no others", async () => {
  const answer = await send('/rest/v1/site?select=name', 'GET', { apikey: site.publishableKey });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toHaveLength(1);
  expect((await send('/rest/v1/site?select=name')).status).toBe(401);
  expect((await send('/_system/api/keys', 'GET', { apikey: site.secretKey })).status).toBe(404);
});

test('shows no secret key in any response', async () => {
  for (const path of ['/', '/sign-in', '/nowhere', '/rest/v1/', '/auth/v1/settings']) {
    const answer = await send(path, 'GET', { apikey: site.publishableKey });
    expect(answer.text + JSON.stringify(answer.headers), path).not.toContain(site.secretKey);
  }
});

test('restarts a backend that dies, at the same address', async () => {
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
  ['a port in use', () => ({ environment: { PORT: new URL(site.url).port } }), 'is in use. Set PORT'],
  ['an invalid setting', () => ({ environment: { SITE_URL: 'news' } }), SETTINGS.siteUrl],
])('explains %s in one sentence and exits', async (_name, options, sentence) => {
  const refused = await startSite(options()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect((refused as StartError).message).toContain(sentence);
  expect((refused as StartError).message).not.toMatch(/^\s+at /m);
  expect((refused as StartError).exitCode).toBe(1);
  expect((await send('/')).status).toBe(200);
});

test('stops with its backend on every signal', async () => {
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

/** Command line and parent id of a process. */
async function processOf(pid: number): Promise<{ commandLine: string[]; parent: number }> {
  const [commandLine, status] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  return { commandLine: commandLine.split('\0'), parent: Number(/PPid:\s+(\d+)/.exec(status)?.[1]) };
}

test("limits the memory of each program, and stops all when npm's shell is killed", async () => {
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

test('uses a configured project without proxying it, and logs the same request id on both sides', async () => {
  const project = await startOwnedBackend();
  const hosted = await startSite({
    environment: {
      PUBLIC_SUPABASE_URL: project.url,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: project.publishableKey,
      SUPABASE_SECRET_KEY: project.secretKey,
      // The backend that stands in for a project limits clients without the website's token.
      STOPPRESS_BACKEND_HEADERS: JSON.stringify(project.headers),
    },
  });
  try {
    expect((await fetch(`${hosted.url}/`)).status).toBe(200);
    const headers = { apikey: project.publishableKey };
    expect((await fetch(`${hosted.url}/rest/v1/site`, { headers })).status).toBe(404);
    const csp = (await fetch(`${hosted.url}/sign-in`)).headers.get('content-security-policy');
    expect(csp).toContain(project.url);

    // An error planted in the database, under a page that is not cached.
    await project.sql(`update pg_proc set prolang = (select oid from pg_language where lanname = 'plpgsql'),
      prosrc = $$begin raise exception using errcode = 'XX000', message = 'the inside of ada@news.example'; end$$
      where proname = 'tip_receipt' returning proname`);
    const page = await fetch(`${hosted.url}/tips/${randomUUID()}`, { headers: { 'x-request-id': 'mine' } });
    const id = String(page.headers.get('x-request-id'));
    expect(page.status).toBe(500);
    expect(id).toMatch(/^[0-9a-z]{12}$/);
    const shown = await page.text();
    expect(shown).toContain(id);
    for (const log of [hosted.errors(), project.errors()]) expect(log).toContain(id);
    expect(project.errors()).toMatch(new RegExp(`request ${id}[^]*XX000[^]*the inside of \\[address\\]`));
    expect(shown + hosted.errors()).not.toMatch(/the inside|mine/);
  } finally {
    await hosted.stop();
    await project.stop();
  }
});

test('accepts an upload in parts and answers with a relative address, which works behind any proxy', async () => {
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
  expect(
    data && bytes.equals(Buffer.from(await data.arrayBuffer())),
    'the stored object equals the uploaded bytes',
  ).toBe(true);
});

test('serves pages while its log cannot be written, because the disk is full', async () => {
  const data = await newDataFolder();
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const program = fork(resolve('src/lib/server/main.ts'), {
    env: { ...COMPILE_CACHE, PORT: '0', STOPPRESS_DATA: data, STOPPRESS_LOG_LEVEL: 'debug' },
    stdio: ['ignore', full, full, 'ipc'],
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [{ url }] = (await once(program, 'message')) as [{ url: string }];
  for (const path of ['/', '/nowhere', '/']) {
    expect((await fetch(url + path)).status).toBe(path === '/' ? 200 : 404);
  }
  program.kill('SIGTERM');
  expect(await once(program, 'exit')).toEqual([0, null]);
});
