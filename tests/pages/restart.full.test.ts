import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startReaders, startReporter } from '../support/http-load.ts';
import { createNewsroom, type Newsroom } from '../support/newsroom.ts';
import { startSite, type TestSite, writeNextBuild } from '../support/site.ts';

/** Time for a restart of a killed process on a busy machine. */
const RECOVERY = { timeout: 40_000, interval: 50 };

let root: string;
let site: TestSite;
let newsroom: Newsroom;

beforeAll(async () => {
  // A copy of the program, because the tests change it under the running server.
  root = join(await mkdtemp(join(tmpdir(), 'stoppress-restart-')), 'program');
  await writeNextBuild(root);
  await rm(join(root, 'supabase'));
  await cp(resolve('supabase'), join(root, 'supabase'), { recursive: true });
  site = await startSite({ root, program: 'supervisor/main' });
  newsroom = await createNewsroom(site);
});
afterAll(async () => {
  await site?.stop();
  await rm(join(root, '..'), { recursive: true, force: true });
});

/** Ids of the website processes of the supervisor, youngest last. */
async function sitePids(supervisor = site.pid): Promise<number[]> {
  const children = await readFile(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8');
  const pids = children.trim().split(' ').filter(Boolean).map(Number);
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, n) => lines[n]?.includes('site-process'));
}

const pidOf = async () => (await sitePids()).at(-1) as number;

async function backendPid(data = site.data): Promise<number | undefined> {
  const announced = await readFile(join(data, 'backend.json'), 'utf8').catch(() => '{}');
  return (JSON.parse(announced) as { pid?: number }).pid;
}

/** Counts how often the supervisor has logged a sentence. */
const times = (sentence: string) => site.errors().split(sentence).length - 1;

async function deploy(outcome = 'The new website took over the port'): Promise<void> {
  const before = times(outcome);
  process.kill(site.pid, 'SIGHUP');
  await expect.poll(() => times(outcome), RECOVERY).toBe(before + 1);
}

/** Opens a socket as a reader's page does. `closed` resolves to its close code. */
async function openSocket() {
  const address = `${site.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${site.publishableKey}&vsn=1.0.0`;
  const socket = new WebSocket(address);
  await once(socket, 'open');
  return { closed: once(socket, 'close').then(([code]) => code as number) };
}

/** Uploads a file in parts, and resumes after an interruption. */
function upload(name: string, bytes: Buffer): Promise<void> {
  return new Promise((onSuccess, onError) => {
    new Upload(bytes, {
      endpoint: `${site.url}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${site.secretKey}`, apikey: site.secretKey },
      metadata: { bucketName: 'parts', objectName: name },
      chunkSize: 6 * 1024 * 1024,
      retryDelays: [50, 200, 500, 1_000, 2_000, 4_000],
      onSuccess: () => onSuccess(),
      onError,
    }).start();
  });
}

test('loses, repeats and refuses no request during three deploys under load and after a killed process', {
  timeout: 240_000,
}, async () => {
  const { slug, id } = newsroom.coverage;
  await newsroom.publish({ headline: 'Before the deploy' });
  await site.service.storage.createBucket('parts');
  const file = randomBytes(13_000_000);
  const live = `/live/${slug}`;
  const readers = startReaders(site.url, [live, '/', `${live}/changes?after=1`, '/sign-in', '/robots.txt']);
  const reporters = [newsroom.people.reporter, newsroom.people.editor].map(({ client }) =>
    startReporter(client, id),
  );

  const before = await pidOf();
  const socket = await openSocket();
  const sent = upload('under-way.bin', file);
  for (const round of [1, 2, 3]) {
    const answered = readers.answered();
    await deploy();
    expect(await pidOf(), `deploy ${round}`).not.toBe(before);
    expect(readers.answered()).toBeGreaterThan(answered);
  }
  expect(await socket.closed).toBe(1012);
  await sent;
  const { data } = await site.service.storage.from('parts').download('under-way.bin');
  expect(
    data && file.equals(Buffer.from(await data.arrayBuffer())),
    'the stored object equals the uploaded bytes',
  ).toBe(true);
  // The old processes end after their last connection.
  await expect.poll(async () => (await sitePids()).length, { ...RECOVERY, timeout: 90_000 }).toBe(1);
  const refused = reporters.flatMap(({ refusals }) => refusals);
  await readers.stop();
  expect(readers.failures).toEqual([]);
  expect(refused).toEqual([]);

  const backend = await backendPid();
  const killed = await pidOf();
  process.kill(killed, 'SIGKILL');
  // New requests wait for the restart and are not refused.
  const newReaders = startReaders(site.url, [live, '/'], { readers: 4, keepAlive: false });
  await expect.poll(newReaders.answered, RECOVERY).toBeGreaterThan(20);
  await newReaders.stop();
  expect(newReaders.failures).toEqual([]);
  expect(await pidOf()).not.toBe(killed);
  expect(await backendPid()).toBe(backend);
  expect(times('The site ended unexpectedly (by SIGKILL)')).toBe(1);

  const survivor = await pidOf();
  process.kill(backend as number, 'SIGKILL');
  await vi.waitFor(async () => expect([backend, undefined]).not.toContain(await backendPid()), RECOVERY);
  const [filed] = reporters.map((reporter) => reporter.filed.length);
  await expect.poll(() => reporters[0]?.filed.length, RECOVERY).toBeGreaterThan(filed as number);
  expect(await pidOf()).toBe(survivor);

  await Promise.all(reporters.map((reporter) => reporter.stop()));
  const acknowledged = reporters.flatMap((reporter) => reporter.filed);
  const { data: stored } = await site.service
    .from('updates')
    .select('id')
    .eq('coverage_id', id)
    .limit(10_000);
  expect(stored?.map((row) => row.id as string)).toEqual(expect.arrayContaining(acknowledged));
  expect(stored).toHaveLength(acknowledged.length + 1);
});

test('keeps the old website when a new build does not start, and restarts a changed backend first', async () => {
  const [running, backend] = [await pidOf(), await backendPid()];
  const entry = join(root, 'dist/server/entry.mjs');
  await rename(entry, `${entry}.away`);
  await deploy('The new website did not start (with code 1). The old one continues.');
  expect(times('The site is not built yet')).toBe(1);
  expect(await pidOf()).toBe(running);
  expect((await fetch(`${site.url}/`)).status).toBe(200);
  await rename(`${entry}.away`, entry);

  await writeFile(join(root, 'packages/embedded-supabase/src/changed.ts'), '// A new version.\n');
  await deploy();
  expect(times('The backend or its settings have changed')).toBe(1);
  expect(await backendPid()).not.toBe(backend);
  expect(await pidOf()).not.toBe(running);
  await expect.poll(async () => (await fetch(`${site.url}/sign-in`)).status, RECOVERY).toBe(200);
});

test('finishes running requests and announces the end to sockets when stopped, and leaves no process when killed', async () => {
  const { port } = new URL(site.url);
  const form = 'email=nobody%40example.com&password=wrong';
  const connection = connect(Number(port), '127.0.0.1');
  const answered = text(connection);
  connection.write(
    `POST /sign-in HTTP/1.1\r\nhost: ${new URL(site.url).host}\r\norigin: ${site.url}\r\n` +
      `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n\r\n${form.slice(0, 9)}`,
  );
  // A response on a later connection shows that the server is already handling the first request.
  await fetch(`${site.url}/robots.txt`);
  const socket = await openSocket();
  const stopped = site.stopProcess();
  expect(await socket.closed).toBe(1001);
  await expect.poll(() => fetch(`${site.url}/`).then(String, () => 'refused'), RECOVERY).toBe('refused');
  connection.write(form.slice(9));
  expect(await answered).toMatch(/^HTTP\/1.1 4\d\d [\s\S]*\r\nconnection: close\r\n/i);
  expect(await stopped).toBe(0);

  const again = await startSite({ root, program: 'supervisor/main', data: site.data });
  const pids = [await backendPid(again.data), ...(await sitePids(again.pid))];
  expect(pids).toHaveLength(2);
  process.kill(again.pid, 'SIGKILL');
  await again.stopProcess();
  for (const pid of pids) {
    await vi.waitFor(() => expect(() => process.kill(pid as number, 0)).toThrow('ESRCH'), RECOVERY);
  }
  // Data folder and port are free again.
  const { port: free } = new URL(again.url);
  site = await startSite({ root, program: 'supervisor/main', data: site.data, environment: { PORT: free } });
  expect((await fetch(`${site.url}/`)).status).toBe(200);
});

test('opens the port at the start once the first page can be answered within a second', async () => {
  const { port } = new URL(site.url);
  await site.stopProcess();
  const starting = startSite({
    root,
    program: 'supervisor/main',
    data: site.data,
    environment: { PORT: port },
  });
  await expect.poll(() => isOpen(Number(port)), { timeout: 60_000, interval: 10 }).toBe(true);
  const askedAt = performance.now();
  const page = await fetch(`${site.url}/`);
  const waited = performance.now() - askedAt;
  site = await starting;
  expect(page.status).toBe(200);
  expect(waited).toBeLessThan(1_000);
});

/** Whether something accepts connections on this port. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(port, '127.0.0.1');
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
    connection.once('connect', () => connection.destroy());
  });
}
