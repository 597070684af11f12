import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SupabaseClient, User } from '@supabase/supabase-js';
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { serviceClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { newDataFolder, removeData } from '../../support/data-folders.ts';
import { type BreakableProxy, startBreakableProxy } from '../../support/tcp-proxies.ts';

const SCHEMA = resolve('tests/backend/embedded/resumable-schema');
const CHUNK = 6 * 1024 * 1024;
const BYTES = 'application/offset+octet-stream';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
/** The maximum size of a photo. */
const LARGE = randomBytes(20_000_000);

let data: string;
let backend: TestBackend;
let line: BreakableProxy;
let reporter: Person;
let stranger: Person;

beforeAll(async () => {
  data = await newDataFolder(SCHEMA);
  backend = await startBackend({ data, migrations: SCHEMA });
  line = await startBreakableProxy(backend.url);
  [reporter, stranger] = await Promise.all([person(), person()]);
});
afterAll(async () => {
  await line?.close();
  await backend?.stop();
  await removeData(data);
});

type Person = { client: SupabaseClient; user: User; headers: Record<string, string> };

async function person(): Promise<Person> {
  const { client, user } = await signUp({ ...backend, url: line.url });
  const { data: held } = await client.auth.getSession();
  return { client, user, headers: { authorization: `Bearer ${held.session?.access_token}` } };
}

const own = ({ user }: Person, name: string = randomUUID()) => `${user.id}/${name}`;
const PATH = '/storage/v1/upload/resumable';
const endpoint = () => line.url + PATH;
const sha = (bytes: ArrayBuffer | Buffer) =>
  createHash('sha256').update(new Uint8Array(bytes)).digest('base64');
const waitingParts = async () =>
  (await readdir(join(data, 'resumable'))).filter((name) => !name.includes('.'));

async function stored({ client }: Person, name: string, bucket = 'parts') {
  const { data: blob } = await client.storage.from(bucket).download(name);
  return blob && sha(await blob.arrayBuffer());
}

/** Starts an upload as in Supabase's documentation. */
function upload(bytes: Buffer, options: UploadOptions & { bucket?: string; name: string }) {
  const { bucket = 'parts', name, metadata, ...more } = options;
  let sent: Upload | undefined;
  const done = new Promise<void>((resolve, reject) => {
    sent = new Upload(bytes, {
      endpoint: endpoint(),
      // A backend starts in two seconds, and in half a minute on a busy machine.
      retryDelays: [0, 100, 300, ...Array.from({ length: 30 }, () => 1000)],
      uploadDataDuringCreation: true,
      removeFingerprintOnSuccess: true,
      metadata: {
        bucketName: bucket,
        objectName: name,
        contentType: 'application/octet-stream',
        ...metadata,
      },
      chunkSize: CHUNK,
      ...more,
      onError: reject,
      onSuccess: () => resolve(),
    });
    sent.start();
  });
  return { upload: sent as Upload, done };
}

/** Status and message of a refused upload. */
async function refusal(sending: { done: Promise<void> }) {
  const error = await sending.done.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DetailedError)) throw error ?? new Error('It went through.');
  return [error.originalResponse?.getStatus(), error.originalResponse?.getBody().trim()];
}

/** Sends one request of the protocol. */
async function ask(method: string, path: string, headers: Record<string, string>, body?: Buffer) {
  const url = new URL(path || endpoint(), endpoint());
  const answer = await fetch(url, {
    method,
    headers: { 'tus-resumable': '1.0.0', ...headers },
    ...(body && { body: new Uint8Array(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const uploadMetadata = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** Creates an upload without data. @returns its path */
async function begin(who: Person, length: number, name = own(who), bucket = 'parts'): Promise<string> {
  const { status, headers } = await ask('POST', '', {
    ...who.headers,
    'upload-length': String(length),
    'upload-metadata': uploadMetadata({ bucketName: bucket, objectName: name, contentType: 'image/png' }),
  });
  expect(status).toBe(201);
  return headers.get('location') ?? '';
}

const patch = (who: Person, path: string, offset: number, body: Buffer, more: Record<string, string> = {}) =>
  ask(
    'PATCH',
    path,
    { ...who.headers, 'content-type': BYTES, 'upload-offset': String(offset), ...more },
    body,
  );

test('uploads a file as documented, with its metadata', async () => {
  const name = own(reporter);
  const { headers } = reporter;
  const metadata = { cacheControl: '3600', metadata: JSON.stringify({ from: 'the field' }) };
  const first = upload(LARGE.subarray(0, CHUNK + 1), { name, headers, metadata });
  await first.done;
  // The backend sends a relative URL, because only the site knows its scheme and host.
  expect(first.upload.url).toMatch(new RegExp(`^${line.url}/storage/v1/upload/resumable/[0-9a-f-]{36}$`));
  const { data: info } = await reporter.client.storage.from('parts').info(name);
  expect(info).toMatchObject({
    size: CHUNK + 1,
    contentType: 'application/octet-stream',
    cacheControl: 'max-age=3600',
    metadata: { from: 'the field' },
  });
  expect(await refusal(upload(PNG, { name, headers, retryDelays: null }))).toEqual([
    409,
    'The resource already exists',
  ]);
  await upload(PNG, { name, headers: { ...headers, 'x-upsert': 'true' }, chunkSize: 10 }).done;
  expect(await stored(reporter, name)).toBe(sha(PNG));
  await upload(Buffer.alloc(0), { name: own(reporter, 'empty'), headers }).done;
  expect(await stored(reporter, own(reporter, 'empty'))).toBe(sha(Buffer.alloc(0)));
  expect(await waitingParts()).toEqual([]);
});

test('continues 20 MB over broken connections and a killed backend, without sending anything twice', async () => {
  const name = own(reporter);
  const before = line.sent();
  const arrived = (bytes: number) =>
    vi.waitFor(async () => {
      const sizes = (await waitingParts()).map(
        async (part) => (await stat(join(data, 'resumable', part))).size,
      );
      expect(Math.max(...(await Promise.all(sizes)))).toBeGreaterThan(bytes);
    }, 5000);
  const first = line.holdAfter(9_000_000);
  const sending = upload(LARGE, { name, headers: reporter.headers });
  await first;
  await arrived(8_900_000);
  line.cut();
  await line.holdAfter(5_000_000);
  await arrived(13_800_000);

  // The process ends right after the last byte of another upload.
  const whole = own(reporter);
  const { headers } = await ask('POST', backend.url + PATH, {
    ...reporter.headers,
    'upload-length': String(PNG.length),
    'upload-metadata': uploadMetadata({ bucketName: 'parts', objectName: whole }),
  });
  const path = headers.get('location') ?? '';
  await backend.kill();
  await appendFile(join(data, 'resumable', path.split('/').at(-1) ?? ''), PNG);
  line.cut();
  backend = await startBackend({ data, migrations: SCHEMA });
  line.setTarget(backend.url);

  await sending.done;
  expect(await stored(reporter, name)).toBe(sha(LARGE));
  expect(line.sent() - before).toBeLessThan(LARGE.length + 500_000);

  const asked = await Promise.all([1, 2].map(() => ask('HEAD', path, reporter.headers)));
  for (const { status, headers } of asked) {
    expect([status, headers.get('upload-offset')]).toEqual([200, String(PNG.length)]);
  }
  expect(await stored(reporter, whole)).toBe(sha(PNG));
  expect(await waitingParts()).toEqual([]);
});

test('repeats the last response, and accepts no more data', async () => {
  const path = await begin(reporter, PNG.length);
  expect((await patch(reporter, path, 0, PNG)).status).toBe(204);
  expect((await ask('HEAD', path, reporter.headers)).headers.get('upload-offset')).toBe(String(PNG.length));
  expect((await patch(reporter, path, PNG.length, Buffer.alloc(0))).status).toBe(410);
  expect((await ask('DELETE', path, reporter.headers)).status).toBe(400);
});

test('belongs to its creator, and ends when the permission ends', async () => {
  const name = own(reporter);
  const path = await begin(reporter, PNG.length, name);
  await patch(reporter, path, 0, PNG.subarray(0, 10));
  const key = { authorization: `Bearer ${backend.publishableKey}`, apikey: backend.publishableKey };
  for (const who of [stranger, { ...stranger, headers: key }]) {
    expect((await ask('HEAD', path, who.headers)).status).toBe(404);
    expect((await patch(who, path, 10, PNG.subarray(10))).status).toBe(404);
    expect((await ask('DELETE', path, who.headers)).status).toBe(404);
  }
  expect((await ask('HEAD', path, {})).status).toBe(401);
  expect((await ask('HEAD', path, { authorization: 'Bearer x.y.z' })).status).toBe(403);
  const takeOver = { name, headers: { ...stranger.headers, 'x-upsert': 'true' }, retryDelays: null };
  expect((await refusal(upload(PNG, takeOver)))[0]).toBe(403);

  const service = serviceClient(backend);
  const id = reporter.user.id;
  expect((await service.from('barred').insert({ id })).error).toBeNull();
  expect((await ask('HEAD', path, reporter.headers)).status).toBe(403);
  expect((await patch(reporter, path, 10, PNG.subarray(10, 20))).status).toBe(403);
  await service.from('barred').delete().eq('id', id);
  const { status, headers } = await ask('HEAD', path, reporter.headers);
  expect([status, headers.get('upload-offset')]).toEqual([200, '10']);
  expect((await patch(reporter, path, 10, PNG.subarray(10))).status).toBe(204);
  expect(await stored(reporter, name)).toBe(sha(PNG));
});

test('refuses what a bucket does not accept, at the first or the last byte', async () => {
  const { headers } = reporter;
  const no = { headers, retryDelays: null };
  const pictures = { bucket: 'pictures', metadata: { contentType: 'image/png' }, ...no };
  const refusals = [
    upload(PNG, { name: 'x', bucket: 'none', ...no }),
    upload(PNG, { name: own(stranger), ...no }),
    upload(PNG, { name: `${own(reporter)}/../x`, ...no }),
    upload(Buffer.alloc(65_537), { name: own(reporter), ...pictures }),
    upload(PNG, { name: own(reporter), ...pictures, metadata: { contentType: 'image/gif' } }),
    upload(Buffer.from('<svg onload="x()"/>'), { name: own(reporter), ...pictures }),
    upload(PNG, { name: '', ...no }),
  ].map(refusal);
  expect(await Promise.all(refusals)).toEqual([
    [404, expect.stringContaining('Bucket')],
    [403, 'new row violates row-level security policy'],
    [400, expect.stringContaining('Invalid key')],
    [413, expect.any(String)],
    [415, 'mime type image/gif is not supported'],
    [415, expect.stringContaining('is not supported')],
    [400, expect.stringContaining('objectName')],
  ]);

  // Unsupported extensions are refused, not ignored.
  const unoffered = [
    ['upload-concat', 'partial'],
    ['upload-checksum', 'sha1 x'],
  ].map(
    async ([name = '', value = '']) =>
      (await ask('POST', '', { ...headers, [name]: value, 'upload-length': '5' })).status,
  );
  expect(await Promise.all(unoffered)).toEqual([501, 400]);

  // An upload with a size that is not known yet.
  const { headers: begun } = await ask('POST', '', {
    ...headers,
    'upload-defer-length': '1',
    'upload-metadata': uploadMetadata({
      bucketName: 'pictures',
      objectName: own(reporter),
      contentType: 'image/png',
    }),
  });
  const path = begun.get('location') ?? '';
  expect((await patch(reporter, path, 0, PNG, { 'upload-length': '65537' })).status).toBe(413);
  expect((await patch(reporter, path, 0, Buffer.alloc(65_537))).status).toBe(413);
  expect((await ask('HEAD', path, headers)).headers.get('upload-defer-length')).toBe('1');
  expect((await ask('DELETE', path, headers)).status).toBe(204);
  expect((await ask('HEAD', path, headers)).status).toBe(404);

  const name = own(reporter);
  const late = await begin(reporter, PNG.length, name);
  await patch(reporter, late, 0, PNG.subarray(0, 10));
  await upload(PNG, { name, headers }).done;
  expect((await patch(reporter, late, 10, PNG.subarray(10))).status).toBe(409);
  expect((await ask('DELETE', late, headers)).status).toBe(204);
  expect(await waitingParts()).toEqual([]);
});

test('accepts one of two concurrent requests', async () => {
  const name = own(reporter);
  const bytes = LARGE.subarray(0, 2_000_000);
  const path = await begin(reporter, bytes.length, name);
  const statuses = await Promise.all(
    [1, 2, 3].map(async () => (await patch(reporter, path, 0, bytes)).status),
  );
  expect(statuses.sort()).toEqual([204, expect.any(Number), expect.any(Number)]);
  expect(statuses.slice(1).filter((status) => ![409, 410, 423].includes(status ?? 0))).toEqual([]);
  expect(await stored(reporter, name)).toBe(sha(bytes));
});

test('allows a signed upload without other credentials, and nothing else', async () => {
  const name = own(reporter);
  const { data: signed, error } = await reporter.client.storage.from('parts').createSignedUploadUrl(name);
  expect(error).toBeNull();
  const headers = { 'x-signature': signed?.token ?? '' };
  const signedEndpoint = `${endpoint()}/sign`;
  const first = upload(PNG, { name, headers, endpoint: signedEndpoint, chunkSize: 10 });
  await first.done;
  expect(first.upload.url).toContain('/storage/v1/upload/resumable/sign/');
  expect(await stored(reporter, name)).toBe(sha(PNG));
  const no = { endpoint: signedEndpoint, retryDelays: null };
  expect(await refusal(upload(PNG, { name: own(reporter), headers, ...no }))).toEqual([
    400,
    'Invalid signature',
  ]);
  expect((await refusal(upload(PNG, { name, headers, ...no })))[0]).toBe(409);
  expect((await refusal(upload(PNG, { name, headers: { 'x-signature': 'x' }, ...no })))[0]).toBe(400);
  expect((await refusal(upload(PNG, { name, ...no })))[0]).toBe(400);

  // The signature is valid for one object, even if its upload is started repeatedly.
  const place = own(reporter);
  const sign = (upsert = false) =>
    reporter.client.storage.from('parts').createSignedUploadUrl(place, { upsert });
  const { data: again } = await sign();
  const signature = { 'x-signature': again?.token ?? '' };
  const paths: string[] = [];
  for (let i = 0; i < 3; i++) {
    const { headers } = await ask('POST', 'resumable/sign', {
      'x-signature': (await sign(i === 2)).data?.token ?? '',
      'upload-length': '5',
      'upload-metadata': uploadMetadata({ bucketName: 'parts', objectName: again?.path ?? '' }),
    });
    paths.push(headers.get('location') ?? '');
  }
  const asked = await Promise.all(paths.map(async (path) => (await ask('HEAD', path, signature)).status));
  expect(asked).toEqual([404, 200, 200]);
  expect((await ask('DELETE', paths[1] ?? '', reporter.headers)).status).toBe(400);
  for (const path of paths.slice(1)) await ask('DELETE', path, signature);
});

test('allows other origins to send and to read all headers', async () => {
  const asked = {
    origin: 'https://news.example',
    'access-control-request-method': 'PATCH',
    'access-control-request-headers':
      'apikey,authorization,content-type,tus-resumable,upload-offset,upload-length,upload-metadata,x-upsert,x-signature',
  };
  for (const path of ['', 'resumable/sign', `resumable/${randomUUID()}`]) {
    const { status, headers } = await ask('OPTIONS', path, asked);
    expect(status).toBe(204);
    expect(headers.get('tus-version')).toBe('1.0.0');
    expect(headers.get('tus-extension')).toContain('creation-with-upload');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain('PATCH');
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(/, */) ?? [];
    for (const name of asked['access-control-request-headers'].split(',')) expect(allowed).toContain(name);
  }
  const refused = await ask('HEAD', `resumable/${randomUUID()}`, { origin: 'https://news.example' });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  const { headers } = await ask('POST', '', {
    ...reporter.headers,
    'upload-length': '5',
    'upload-metadata': uploadMetadata({ bucketName: 'parts', objectName: own(reporter) }),
  });
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase() ?? '';
  for (const name of ['location', 'upload-offset', 'upload-length', 'upload-expires', 'tus-resumable']) {
    expect(exposed.split(', ')).toContain(name);
  }
  const left = Date.parse(headers.get('upload-expires') ?? '') - Date.now();
  expect(left / 3_600_000).toBeCloseTo(24, 1);
  expect((await ask('DELETE', headers.get('location') ?? '', reporter.headers)).status).toBe(204);
});
