import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  anonClient,
  serviceClient,
  signUp,
  startBackend,
  type TestBackend,
} from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';

type Files = ReturnType<SupabaseClient['storage']['from']>;

let backend: TestBackend;
let server: SupabaseClient;
let ada: Awaited<ReturnType<typeof signUp>>;
let ben: Awaited<ReturnType<typeof signUp>>;
let png: Buffer;
/** A bucket without restrictions, as the server. */
let files: Files;

beforeAll(async () => {
  backend = await startBackend({ migrations: PROBE_SCHEMA });
  server = serviceClient(backend);
  [ada, ben] = await Promise.all([signUp(backend), signUp(backend)]);
  png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  await server.storage.createBucket('files');
  files = server.storage.from('files');
});
afterAll(() => backend.stop());

const storageUrl = (path: string) => `${backend.url}/storage/v1${path}`;
const asServer = (path: string, init: RequestInit = {}) =>
  fetch(storageUrl(path), { ...init, headers: { apikey: backend.secretKey, ...init.headers } });

/** Files on disk: one version for each object, and parts. */
const onDisk = () =>
  ['files', 'uploads'].flatMap((folder) =>
    readdirSync(join(backend.data, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name),
  );

/** Target of a file descriptor, or '' after it was closed. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

const text = async (from: Files, name: string) => (await (await from.download(name)).data?.text()) ?? null;

describe('buckets', () => {
  test('can be created, read, listed, changed, emptied and deleted by the server', async () => {
    const { storage } = server;
    const made = await storage.createBucket('round', {
      public: false,
      fileSizeLimit: '20KB',
      allowedMimeTypes: ['image/*'],
    });
    expect(made).toEqual({ data: { name: 'round' }, error: null });
    expect((await storage.createBucket('round')).error).toMatchObject({ status: 400, statusCode: '409' });
    expect((await storage.createBucket('a/b')).error).toMatchObject({ code: 'InvalidBucketName' });
    expect((await storage.createBucket('vast', { public: true, fileSizeLimit: '2GB' })).error).toMatchObject({
      statusCode: '413',
    });
    const about = { id: 'round', name: 'round', public: false, file_size_limit: 20_000 };
    expect((await storage.getBucket('round')).data).toMatchObject({
      ...about,
      allowed_mime_types: ['image/*'],
    });
    expect((await storage.listBuckets({ search: 'rou' })).data).toMatchObject([about]);
    const sorted = await storage.listBuckets({ sortColumn: 'name', sortOrder: 'desc', limit: 2, offset: 1 });
    expect(sorted.data?.map(({ id }) => id)).toEqual(['round', 'rooms']);

    await storage.updateBucket('round', { public: true, fileSizeLimit: null, allowedMimeTypes: null });
    expect((await storage.getBucket('round')).data).toMatchObject({ public: true, file_size_limit: null });
    await storage.from('round').upload('a/b.txt', 'b');
    expect((await storage.deleteBucket('round')).error).toMatchObject({ code: 'ResourceNotEmpty' });
    expect((await storage.emptyBucket('round')).error).toBeNull();
    expect((await storage.deleteBucket('round')).error).toBeNull();
    expect((await storage.getBucket('round')).error).toMatchObject({ status: 400, statusCode: '404' });
    expect((await storage.updateBucket('round', { public: true })).error).toMatchObject({
      code: 'NoSuchBucket',
    });
    expect((await storage.from('round').upload('a', 'b')).error).toMatchObject({ code: 'NoSuchBucket' });
    expect((await storage.from('round').list()).data).toEqual([]);
  });

  test('of config.toml exist, and are visible to the server only', async () => {
    expect((await server.storage.getBucket('photos')).data).toMatchObject({
      public: false,
      file_size_limit: 20 * 1024 * 1024,
      allowed_mime_types: ['image/jpeg', 'image/png', 'image/webp', 'image/avif'],
    });
    const { storage } = ada.client;
    expect((await storage.listBuckets()).data).toEqual([]);
    expect((await storage.createBucket('mine')).error).toMatchObject({ code: 'AccessDenied' });
    expect((await storage.updateBucket('photos', { public: true })).error).toMatchObject({
      code: 'NoSuchBucket',
    });
    expect((await storage.emptyBucket('files')).error).toMatchObject({ code: 'NoSuchBucket' });
    expect((await storage.deleteBucket('tips')).error).toMatchObject({ code: 'NoSuchBucket' });
    expect((await server.storage.listBuckets()).data?.map(({ id }) => id)).not.toContain('mine');
    expect((await server.storage.getBucket('photos')).data).toMatchObject({ public: false });
  });
});

describe('uploads', () => {
  const BODY = 'Grüße aus dem Rathaus';
  const bytes = new TextEncoder().encode(BODY);
  const form = new FormData();
  form.append('cacheControl', '60');
  form.append('metadata', JSON.stringify({ desk: 'city' }));
  form.append('', new Blob([bytes], { type: 'text/plain' }));
  const said = { cacheControl: '60', contentType: 'text/plain', metadata: { desk: 'city' } };

  test.each<[string, () => Parameters<Files['upload']>[1], boolean?]>([
    ['text', () => BODY],
    ['ArrayBuffer', () => bytes.buffer],
    ['Uint8Array', () => bytes],
    ['Buffer', () => Buffer.from(bytes)],
    ['Blob', () => new Blob([bytes], { type: 'text/plain' })],
    ['File', () => new File([bytes], '../../evil.html', { type: 'text/plain' })],
    ['FormData', () => form],
    ['stream', () => new Blob([bytes]).stream()],
    ['node stream', () => Readable.from([bytes.subarray(0, 5), bytes.subarray(5)])],
  ])('as %s are stored', async (kind, body) => {
    const name = `kinds/${kind}.txt`;
    const { data, error } = await files.upload(name, body(), said);
    expect(error).toBeNull();
    expect(data).toEqual({ id: expect.any(String), path: name, fullPath: `files/${name}` });
    expect(await text(files, name)).toBe(BODY);
    expect((await files.info(name)).data).toMatchObject({
      id: data?.id,
      name,
      bucketId: 'files',
      size: bytes.length,
      contentType: 'text/plain',
      cacheControl: 'max-age=60',
      etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
      metadata: { desk: 'city' },
      version: expect.any(String),
      createdAt: expect.any(String),
      lastModified: expect.any(String),
    });
  });

  test('replace an object only on request, and delete the old version', async () => {
    const before = onDisk().length;
    const { data: first } = await files.upload('place', 'one');
    expect((await files.upload('place', 'two')).error).toMatchObject({
      status: 400,
      statusCode: '409',
      code: 'KeyAlreadyExists',
      message: 'The resource already exists',
    });
    expect(await text(files, 'place')).toBe('one');
    const { data: second } = await files.upload('place', 'two', { upsert: true });
    expect(second?.id).toBe(first?.id);
    expect(await text(files, 'place')).toBe('two');
    await files.update('place', 'three');
    expect(await text(files, 'place')).toBe('three');
    expect(onDisk().length).toBe(before + 1);
    await Promise.all(['a', 'b', 'c', 'd'].map((body) => files.upload('place', body, { upsert: true })));
    expect(onDisk().length).toBe(before + 1);
    expect((await files.exists('place')).data).toBe(true);
    expect((await files.exists('no place')).data).toBe(false);
    await expect(server.storage.from('no bucket').exists('place')).rejects.toMatchObject({
      code: 'NoSuchBucket',
    });
  });

  test.each([
    ...['a/../b', '../b', 'a/./b', 'a\\b', 'ü', 'a%00b', 'a\nb', 'a/', 'a//b'].map((name) => [name, name]),
    ['so long a name', 'a'.repeat(1025)],
  ])('refuse the name %j', async (_, name) => {
    const answer = await asServer(`/object/files/${encodeURIComponent(name)}`, { method: 'POST', body: 'x' });
    expect(await answer.json()).toMatchObject({ statusCode: '400', code: 'InvalidKey' });
  });

  test('stop at the size limit, with or without a declared size', async () => {
    await server.storage.createBucket('small', { public: false, fileSizeLimit: 100_000 });
    const small = server.storage.from('small');
    const before = onDisk();
    const tooLarge = { status: 400, statusCode: '413', code: 'EntityTooLarge' };
    const large = randomBytes(100_001);
    expect((await small.upload('a', large)).error).toMatchObject(tooLarge);
    expect((await small.upload('b', new Blob([large]))).error).toMatchObject(tooLarge);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(8192)) });
    expect((await small.upload('c', endless)).error).toMatchObject(tooLarge);
    expect((await small.upload('d', large.subarray(1))).error).toBeNull();
    expect((await small.list()).data?.map(({ name }) => name)).toEqual(['d']);
    expect(onDisk().length).toBe(before.length + 1);
  });

  test.each([
    ['within the bytes', '--xx\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\nabc'],
    ['before the bytes', '--xx\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\n'],
    ['within a part’s headers', '--xx\r\ncontent-disposition: form-da'],
    ['at once', ''],
  ])('of forms that end %s are refused, and nothing is left', async (_, body) => {
    const before = onDisk();
    const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
    const { data } = await files.createSignedUploadUrl(`form/${randomUUID()}`);
    const answers = [
      await asServer('/object/files/form', { method: 'POST', headers, body }),
      await fetch(data?.signedUrl ?? '', { method: 'PUT', headers, body }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect((await files.exists('form')).data).toBe(false);
    expect(onDisk()).toEqual(before);
  });

  test('leave nothing when the sender disconnects', async () => {
    const before = onDisk();
    const socket = connect(Number(new URL(backend.url).port), '127.0.0.1');
    socket.write(
      `POST /storage/v1/object/files/broken HTTP/1.1\r\nhost: a\r\napikey: ${backend.secretKey}\r\ncontent-length: 999999\r\n\r\nbegin`,
    );
    await vi.waitFor(() => expect(onDisk().length).toBe(before.length + 1));
    socket.destroy();
    await vi.waitFor(() => expect(onDisk()).toEqual(before));
    expect((await files.exists('broken')).data).toBe(false);
  });
});

/** Mounts a small disk for parts. Returns false if this user may not mount one. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('are unavailable on a full disk, leave nothing, and work again when there is space', async ({
  skip,
}) => {
  const folder = join(backend.data, 'uploads');
  await files.upload('before-it.bin', 'x');
  const before = onDisk();
  if (!mountSmall(folder)) skip('Only who may mount a disk can fill one.');
  const large = randomBytes(3 * 1024 * 1024);
  const form = new FormData();
  form.set('', new Blob([large]));
  try {
    for (const body of [large, form]) {
      const answer = await asServer('/object/files/full.bin', { method: 'POST', body });
      expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'InsufficientStorage' }]);
      expect(readdirSync(folder)).toEqual([]);
    }
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
  expect(onDisk()).toEqual(before);
  expect(backend.errors()).toContain('The disk is full');
  expect((await asServer('/object/files/full.bin', { method: 'POST', body: large })).status).toBe(200);
  await files.remove(['full.bin', 'before-it.bin']);
});

describe('types', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const HTML = '<!doctype html><script>alert(1)</script>';

  test('are detected from the bytes, and a bucket accepts those of its list', async () => {
    const photos = server.storage.from('photos');
    const wrong = { status: 400, statusCode: '415', code: 'InvalidMimeType' };
    const put = async (body: string | Buffer, contentType: string) =>
      (await photos.upload(`incoming/${randomUUID()}`, body, { contentType })).error;
    expect(await put(png, 'image/png')).toBeNull();
    // The bytes count, not the declared type.
    expect(await put(png, 'application/octet-stream')).toBeNull();
    expect(await put(png, 'text/html')).toBeNull();
    expect(await put(HTML, 'image/png')).toMatchObject(wrong);
    expect(await put(SVG, 'image/png')).toMatchObject(wrong);
    expect(await put(SVG, 'image/svg+xml')).toMatchObject(wrong);
    expect(await put('', 'image/png')).toMatchObject(wrong);
    expect(await put(Buffer.from('GIF89a/*'), 'image/png')).toMatchObject(wrong);
    expect(await put('%PDF-1.7', 'image/webp')).toMatchObject(wrong);
    expect(await put(png, 'video/mp4')).toMatchObject(wrong);
    expect((await photos.list('incoming')).data?.map(({ metadata }) => metadata?.mimetype)).toEqual(
      Array(3).fill('image/png'),
    );
  });

  test.each([
    ['a.html', HTML, 'text/html', 'text/plain; charset=utf-8'],
    ['a.svg', SVG, 'image/svg+xml', 'text/plain; charset=utf-8'],
    ['b.svg', `<?xml version="1.0"?>${SVG}`, 'image/svg+xml', 'text/plain; charset=utf-8'],
    ['a.xhtml', HTML, 'application/xhtml+xml', 'text/plain; charset=utf-8'],
    ['a.js', 'alert(1)', 'text/javascript', 'text/plain; charset=utf-8'],
    ['a.png', HTML, 'image/png', 'application/octet-stream'],
    ['a.gif', 'GIF89a/*\0*/=alert(1)', 'text/javascript', 'image/gif'],
    ['a.txt', HTML, 'text/html\r\nx: y', 'application/octet-stream'],
    ['b.txt', HTML, 'text/plain; a=\r\nset-cookie: x=1', 'text/plain'],
    ['b.gif', 'GIF89a/*', 'image/gif; a=Ā', 'image/gif'],
    ['c.txt', HTML, `text/plain; a=${'a'.repeat(200)}`, 'text/plain'],
    ['d.txt', HTML, 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ])('%s is served so that no browser runs it', async (name, body, declared, served) => {
    const blob = new Blob([body]);
    const form = new FormData();
    form.append('contentType', declared);
    form.append('', blob);
    expect((await files.upload(`run/${name}`, form)).error).toBeNull();
    const answer = await asServer(`/object/files/run/${name}`);
    expect(answer.headers.get('content-type')).toBe(served);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(await answer.text()).toBe(body);
  });

  test('that browsers open in other programs are served as downloads', async () => {
    await files.upload('a.pdf', '%PDF-1.7', { contentType: 'application/pdf' });
    const answer = await asServer('/object/files/a.pdf');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=a.pdf');
  });
});

describe('downloads', () => {
  beforeAll(async () => {
    await server.storage.createBucket('open', { public: true });
    await server.storage.from('open').upload('dir/a b.txt', '0123456789', { contentType: 'text/plain' });
  });
  const PUBLIC = '/object/public/open/dir/a%20b.txt';
  const open = (headers: Record<string, string> = {}, path = PUBLIC, method = 'GET') =>
    fetch(storageUrl(path), { method, headers });

  test('of a public bucket need no key, others do', async () => {
    const { publicUrl } = server.storage.from('open').getPublicUrl('dir/a b.txt').data;
    const answer = await fetch(publicUrl);
    expect(await answer.text()).toBe('0123456789');
    expect(answer.headers.get('cache-control')).toBe('max-age=3600');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(await (await open({}, '/object/info/public/open/dir/a%20b.txt')).json()).toMatchObject({
      size: 10,
    });
    for (const path of [
      '/object/public/files/place',
      '/object/info/public/files/place',
      '/object/public/no/a',
    ]) {
      const refused = await open({ apikey: backend.secretKey }, path);
      expect(await refused.json()).toMatchObject({ statusCode: '404', code: 'NoSuchBucket' });
    }
    for (const path of ['/object/open/dir/a%20b.txt', '/object/authenticated/files/place', '/bucket']) {
      expect((await open({}, path)).status).toBe(401);
      expect((await open({ apikey: 'sb_secret_wrong' }, path)).status).toBe(401);
    }
    const forged = await open({ authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }, '/bucket');
    expect(await forged.json()).toMatchObject({ statusCode: '403', error: 'Unauthorized' });
  });

  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['Bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
    ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['bytes=5-2', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=10-', 416, undefined, 'bytes */10'],
    ['bytes=-0', 416, undefined, 'bytes */10'],
  ])('with the range %s have the right part', async (range, status, body, contentRange) => {
    const answer = await open({ range });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    if (body === undefined)
      expect(await answer.json()).toMatchObject({ statusCode: '416', code: 'InvalidRange' });
    else expect(await answer.text()).toBe(body);
  });

  test('answer 304 if the client has the object', async () => {
    const answer = await open();
    const etag = answer.headers.get('etag') ?? '';
    const modified = answer.headers.get('last-modified') ?? '';
    const knowing: Record<string, string>[] = [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
    ];
    for (const known of knowing) {
      const again = await open(known);
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await open({ 'if-none-match': '"x"', 'if-modified-since': modified })).status).toBe(200);
    expect((await open({ range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(200);
    const statusFor = async (tags: string) => (await open({ 'if-match': tags })).status;
    expect([await statusFor('"x"'), await statusFor(`"x", ${etag}`), await statusFor('*')]).toEqual([
      412, 200, 200,
    ]);
    const head = await open({}, PUBLIC, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
  });

  test('have the requested file name', async () => {
    const named = async (query: string) =>
      (await open({}, PUBLIC + query)).headers.get('content-disposition');
    expect(await named('')).toBeNull();
    expect(await named('?download=')).toBe('attachment; filename="a b.txt"');
    expect(await named('?download=%22%0d%0a%C3%BC.txt')).toMatch(
      /^attachment; filename="[ -~]+"; filename\*=UTF-8''/,
    );
  });

  test('of resized images are refused', async () => {
    const { error } = await files.download('place', { transform: { width: 100 } });
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('image transformation') });
    const signed = await files.createSignedUrl('place', 60, { transform: { width: 100 } });
    expect(signed.error).toMatchObject({ code: 'FeatureNotEnabled' });
    const open = await fetch(storageUrl('/render/image/public/open/dir/a.png?width=1'));
    expect(await open.json()).toMatchObject({ code: 'FeatureNotEnabled' });
  });

  test('can be streamed by the client, which may stop early', async () => {
    const bytes = randomBytes(3_000_000);
    await files.upload('big.bin', bytes, { contentType: 'application/octet-stream' });
    const { data } = await files.download('big.bin');
    expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(bytes)).toBe(true);
    const stream = await files.download('big.bin').asStream();
    const reader = stream.data?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    await reader?.cancel();
    // The file was closed.
    const { pid } = JSON.parse(readFileSync(join(backend.data, 'backend.json'), 'utf8'));
    const opened = () => readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    await vi.waitFor(() => expect(opened().filter((path) => path.includes('/files/'))).toEqual([]));
  });
});

describe('lists', () => {
  let tree: Files;
  beforeAll(async () => {
    await server.storage.createBucket('tree');
    tree = server.storage.from('tree');
    // In sequence, so that the times are ordered.
    for (const name of ['b.txt', 'Ab.txt', 'aa/one', 'aa/Two', 'aa/deep/er/three', 'aa_x', 'zz/four']) {
      await tree.upload(name, name);
    }
  });
  const names = async (...question: Parameters<Files['list']>) =>
    (await tree.list(...question)).data?.map(({ name, id }) => (id === null ? `${name}/` : name));

  test('show files and folders by name or time, in pages', async () => {
    expect(await names()).toEqual(['aa/', 'aa_x', 'Ab.txt', 'b.txt', 'zz/']);
    expect(await names('', { sortBy: { column: 'name', order: 'desc' } })).toEqual([
      'zz/',
      'b.txt',
      'Ab.txt',
      'aa_x',
      'aa/',
    ]);
    expect(await names('', { limit: 2, offset: 1 })).toEqual(['aa_x', 'Ab.txt']);
    expect(await names('', { sortBy: { column: 'created_at', order: 'desc' } })).toEqual([
      'zz/',
      'aa/',
      'aa_x',
      'Ab.txt',
      'b.txt',
    ]);
    expect(await names('aa')).toEqual(['deep/', 'one', 'Two']);
    expect(await names('aa/')).toEqual(['deep/', 'one', 'Two']);
    expect(await names('AA', { search: 't' })).toEqual(['Two']);
    expect(await names('', { search: 'a' })).toEqual(['aa/', 'aa_x', 'Ab.txt']);
    expect(await names('', { search: 'aa/o' })).toEqual(['aa/one']);
    expect(await names('aa', { search: '%' })).toEqual([]);
    expect(await names('nothing')).toEqual([]);
    const [entry] = (await tree.list('aa', { search: 'one' })).data ?? [];
    expect(entry).toMatchObject({
      name: 'one',
      id: expect.any(String),
      metadata: { size: 6, mimetype: 'text/plain;charset=UTF-8', cacheControl: 'max-age=3600' },
    });
    expect(Date.parse(entry?.created_at ?? '')).toBeGreaterThan(Date.now() - 3_600_000);
    expect((await tree.list('', { sortBy: { column: 'owner' } })).error).toMatchObject({ statusCode: '400' });
  });

  test('of version 2 show a whole bucket in pages', async () => {
    const seen: string[] = [];
    const walk = async (options: NonNullable<Parameters<Files['listV2']>[0]>) => {
      const listed: string[] = [];
      for (let cursor: string | undefined, more = true; more; ) {
        const { data, error } = await tree.listV2({ ...options, limit: 2, ...(cursor && { cursor }) });
        if (error) throw error;
        listed.push(...[...data.folders, ...data.objects].map(({ name }) => name));
        ({ hasNext: more, nextCursor: cursor } = data);
      }
      return listed;
    };
    seen.push(...(await walk({})));
    expect(seen).toEqual(['Ab.txt', 'aa/Two', 'aa/deep/er/three', 'aa/one', 'aa_x', 'b.txt', 'zz/four']);
    expect(await walk({ sortBy: { column: 'name', order: 'desc' } })).toEqual(seen.toReversed());
    expect((await walk({ with_delimiter: true })).sort()).toEqual(['Ab.txt', 'aa/', 'aa_x', 'b.txt', 'zz/']);
    expect((await walk({ prefix: 'aa/', with_delimiter: true })).sort()).toEqual([
      'aa/Two',
      'aa/deep/',
      'aa/one',
    ]);
    expect(await walk({ sortBy: { column: 'created_at', order: 'asc' } })).toEqual([
      'b.txt',
      'Ab.txt',
      'aa/one',
      'aa/Two',
      'aa/deep/er/three',
      'aa_x',
      'zz/four',
    ]);
  });
});

describe('moves, copies and removals', () => {
  test('keep the bytes under another name or bucket', async () => {
    await server.storage.createBucket('pictures', { public: false, allowedMimeTypes: ['image/*'] });
    const pictures = server.storage.from('pictures');
    const { data: put } = await files.upload('go/a.txt', 'moved', { metadata: { desk: 'city' } });
    const count = onDisk().length;
    expect(await files.move('go/a.txt', 'went/b.txt')).toMatchObject({
      data: { message: 'Successfully moved' },
    });
    expect((await files.exists('go/a.txt')).data).toBe(false);
    expect((await files.info('went/b.txt')).data).toMatchObject({ id: put?.id, metadata: { desk: 'city' } });

    expect((await files.copy('went/b.txt', 'c.txt')).data).toEqual({ path: 'files/c.txt' });
    expect((await files.info('c.txt')).data).toMatchObject({ metadata: { desk: 'city' }, size: 5 });
    await files.copy('c.txt', 'd.txt', {
      copyMetadata: false,
      metadata: { cacheControl: 'max-age=5', mimetype: 'text/csv' },
    });
    expect((await files.info('d.txt')).data).toMatchObject({
      cacheControl: 'max-age=5',
      contentType: 'text/csv',
      metadata: null,
    });
    expect(onDisk().length).toBe(count + 2);
    expect((await files.copy('c.txt', 'd.txt')).error).toMatchObject({ statusCode: '409' });
    expect((await files.move('c.txt', 'd.txt')).error).toMatchObject({ statusCode: '409' });
    expect((await files.move('nothing', 'x')).error).toMatchObject({ code: 'NoSuchKey' });
    expect((await files.copy('nothing', 'x')).error).toMatchObject({ code: 'NoSuchKey' });
    expect((await files.move('c.txt', '../x')).error).toMatchObject({ code: 'InvalidKey' });
    expect((await files.copy('c.txt', 'x', { destinationBucket: 'none' })).error).toMatchObject({
      code: 'NoSuchBucket',
    });
    // The rules of the target bucket apply.
    for (const verb of ['move', 'copy'] as const) {
      const { error } = await files[verb]('c.txt', 'c.png', { destinationBucket: 'pictures' });
      expect(error).toMatchObject({ statusCode: '415' });
    }
    await files.upload('p.png', png);
    expect((await files.copy('p.png', 'copied.png', { destinationBucket: 'pictures' })).error).toBeNull();
    expect((await files.move('p.png', 'moved.png', { destinationBucket: 'pictures' })).error).toBeNull();
    expect((await pictures.list()).data?.map(({ name }) => name)).toEqual(['copied.png', 'moved.png']);

    const { data: removed } = await files.remove(['went/b.txt', 'c.txt', 'd.txt', 'nothing']);
    expect(removed?.map(({ name }) => name).sort()).toEqual(['c.txt', 'd.txt', 'went/b.txt']);
    expect(removed?.[0]).toMatchObject({ bucket_id: 'files', metadata: { size: 5 } });
    expect((await asServer('/object/pictures/copied.png', { method: 'DELETE' })).status).toBe(200);
    expect((await asServer('/object/pictures/copied.png', { method: 'DELETE' })).status).toBe(400);
    expect(onDisk().length).toBe(count);
    expect((await files.remove([])).error).toMatchObject({ statusCode: '400' });
    expect((await files.purgeCache('place')).error).toBeNull();
    expect((await ada.client.storage.from('files').purgeCache('place')).error).toMatchObject({
      statusCode: '403',
    });
  });
});

describe('signed URLs', () => {
  const read = async (url: string) => {
    const answer = await fetch(url);
    return answer.ok ? answer.text() : (await answer.json()).code;
  };

  test('allow reading one object for a limited time', async () => {
    await files.upload('s/a b.txt', 'signed');
    await files.upload('s/other.txt', 'other');
    const { data } = await files.createSignedUrl('s/a b.txt', 60, { download: 'n.txt' });
    const url = data?.signedUrl ?? '';
    const answer = await fetch(url);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=n.txt');
    expect(Date.parse(answer.headers.get('expires') ?? '')).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(answer.headers.get('cache-control')).toBeNull();
    expect(await answer.text()).toBe('signed');
    expect(await read(url.replace('a%20b', 'other'))).toBe('InvalidSignature');
    expect(await read(url.replace(/token=[^&]+/, 'token=x'))).toBe('InvalidJWT');
    const [head = '', body = '', seal = ''] = url.replace(/^.*token=|&.*$/g, '').split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 9 })).toString('base64url');
    expect(await read(url.replace(body, forged))).toBe('InvalidJWT');
    const unsealed = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    expect(await read(url.replace(head, unsealed).replace(seal, ''))).toBe('InvalidJWT');
    expect(await read(url.replace('/object/sign/', '/object/upload/sign/'))).not.toBe('signed');

    const short = (await files.createSignedUrl('s/other.txt', 1)).data?.signedUrl ?? '';
    await vi.waitFor(async () => expect(await read(short)).toBe('InvalidJWT'), 5_000);
    expect((await files.createSignedUrl('nothing', 60)).error).toMatchObject({ code: 'NoSuchKey' });
    expect((await files.createSignedUrl('s/other.txt', 0)).error).toMatchObject({ statusCode: '400' });
    await files.remove(['s/a b.txt']);
    expect(await read(url)).toBe('NoSuchKey');
  });

  test('can be created for many existing objects at once', async () => {
    await files.upload('many/1', 'one');
    const { data } = await files.createSignedUrls(['many/1', 'many/2'], 60);
    expect(data).toMatchObject([
      { path: 'many/1', error: null },
      { path: 'many/2', signedUrl: null, error: expect.stringContaining('does not exist') },
    ]);
    expect(await read(data?.[0]?.signedUrl ?? '')).toBe('one');
  });

  test('allow uploading one object', async () => {
    const mine = ada.client.storage.from('rooms');
    const path = `${ada.user.id}/signed.png`;
    const { data } = await mine.createSignedUploadUrl(path);
    const token = data?.token ?? '';
    const stranger = anonClient(backend).storage.from('rooms');
    expect((await stranger.uploadToSignedUrl(`${ada.user.id}/else`, token, png)).error).toMatchObject({
      code: 'InvalidSignature',
    });
    expect((await stranger.uploadToSignedUrl(path, `${token}x`, png)).error).toMatchObject({
      code: 'InvalidJWT',
    });
    expect((await stranger.uploadToSignedUrl(path, token, png)).data).toEqual({
      path,
      fullPath: `rooms/${path}`,
    });
    expect((await stranger.uploadToSignedUrl(path, token, 'again', { upsert: true })).error).toMatchObject({
      statusCode: '409',
    });
    const again = await mine.createSignedUploadUrl(path, { upsert: true });
    expect((await stranger.uploadToSignedUrl(path, again.data?.token ?? '', 'again')).error).toBeNull();
    expect(await text(mine, path)).toBe('again');
    expect(await read(storageUrl(`/object/sign/rooms/${path}?token=${token}`))).toBe('InvalidSignature');
    const [row] = (await server.storage.from('rooms').remove([path])).data ?? [];
    expect(row).toMatchObject({ owner_id: ada.user.id, owner: ada.user.id });
    expect((await stranger.createSignedUploadUrl(path)).error).toMatchObject({ code: 'AccessDenied' });
    expect((await ben.client.storage.from('rooms').createSignedUploadUrl(path)).error).toMatchObject({
      code: 'AccessDenied',
    });
  });
});

describe('policies', () => {
  test('restrict people to their own folder', async () => {
    const name = `${ada.user.id}/note.txt`;
    const [mine, theirs] = [ada, ben].map(({ client }) => client.storage.from('rooms'));
    const all = server.storage.from('rooms');
    if (!mine || !theirs) throw new Error('Two people are needed.');
    expect((await mine.upload(name, 'mine')).error).toBeNull();
    const strangers = [theirs, anonClient(backend).storage.from('rooms')];
    for (const stranger of strangers) {
      const denied = [
        await stranger.upload(name, 'theirs'),
        await stranger.upload(name, 'theirs', { upsert: true }),
        await stranger.update(name, 'theirs'),
        await stranger.upload(`${ada.user.id}/new`, 'theirs'),
        await stranger.move(name, `${ben.user.id}/stolen`),
        await stranger.copy(name, `${ben.user.id}/stolen`),
        await stranger.download(name),
        await stranger.info(name),
        await stranger.createSignedUrl(name, 60),
      ];
      expect(denied.map(({ data }) => data)).toEqual(denied.map(() => null));
      expect((await stranger.remove([name])).data).toEqual([]);
      expect((await stranger.list(ada.user.id)).data).toEqual([]);
      expect((await stranger.listV2()).data?.objects).toEqual([]);
      expect((await stranger.createSignedUrls([name], 60)).data).toMatchObject([{ signedUrl: null }]);
      expect(await text(all, name)).toBe('mine');
    }
    expect((await all.list(ada.user.id)).data?.map((entry) => entry.name)).toEqual(['note.txt']);
    // Objects cannot be moved into other folders.
    expect((await mine.move(name, `${ben.user.id}/gift`)).error).toMatchObject({ code: 'AccessDenied' });
    expect((await mine.copy(name, 'shown/gift')).error).toMatchObject({ code: 'AccessDenied' });
    await all.upload('shown/house rules', 'Be kind.');
    expect(await text(theirs, 'shown/house rules')).toBe('Be kind.');
    expect((await theirs.remove(['shown/house rules'])).data).toEqual([]);
    expect((await theirs.list()).data?.map((entry) => entry.name)).toEqual(['shown']);
    expect(await text(all, 'shown/house rules')).toBe('Be kind.');
    expect(await text(all, name)).toBe('mine');
  });

  test.each(['-', 'i', 's', 'u', 'd', 'is', 'iu', 'isu', 'su', 'sd', 'id', 'ud', 'isud'])(
    'that allow %s allow nothing else',
    async (letters) => {
      const may = (needed: string) => [...needed].every((letter) => letters.includes(letter));
      const mine = ada.client.storage.from('letters');
      const all = server.storage.from('letters');
      const [name, fresh] = [`${letters}/there`, `${letters}/new`];
      await all.upload(name, 'there');

      expect((await mine.upload(fresh, 'new')).error === null, 'upload').toBe(may('i'));
      expect(await text(all, fresh)).toBe(may('i') ? 'new' : null);
      expect((await mine.upload(name, 'over')).error, 'upload over').not.toBeNull();
      expect(await text(all, name)).toBe('there');
      expect(await text(mine, name), 'download').toBe(may('s') ? 'there' : null);
      expect(
        (await mine.list(letters)).data?.some((entry) => entry.name === 'there'),
        'list',
      ).toBe(may('s'));
      expect((await mine.update(name, 'set')).error === null, 'update').toBe(may('isu'));
      expect(await text(all, name)).toBe(may('isu') ? 'set' : 'there');
      expect((await mine.move(name, `${letters}/moved`)).error === null, 'move').toBe(may('su'));
      expect((await all.exists(`${letters}/moved`)).data).toBe(may('su'));
      if (may('su')) await all.move(`${letters}/moved`, name);
      expect((await mine.copy(name, `${letters}/copied`)).error === null, 'copy').toBe(may('is'));
      expect((await all.exists(`${letters}/copied`)).data).toBe(may('is'));
      expect((await mine.remove([name])).data?.length, 'remove').toBe(may('sd') ? 1 : 0);
      expect((await all.exists(name)).data).toBe(!may('sd'));
    },
  );

  test('see the operation', async () => {
    const mine = ada.client.storage.from('letters');
    expect((await mine.upload('storage.object.upload', 'x')).error).toBeNull();
    expect((await mine.upload('storage.object.copy', 'x')).error).toMatchObject({ code: 'AccessDenied' });
    const { error } = await mine.createSignedUploadUrl('storage.object.sign_upload_url');
    expect(error).toBeNull();
  });

  test('are evaluated again after the bytes have arrived', async () => {
    const gone = await signUp(backend);
    const token = (await gone.client.auth.getSession()).data.session?.access_token;
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const before = onDisk().length;
    const answer = fetch(storageUrl(`/object/rooms/${gone.user.id}/late`), {
      method: 'POST',
      headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
      body: body.readable,
      duplex: 'half',
    } as RequestInit);
    await writer.write(Buffer.from('half of '));
    await vi.waitFor(() => expect(onDisk().length).toBe(before + 1));
    await server.rpc('close_room', { person: gone.user.id });
    await writer.write(Buffer.from('a letter'));
    await writer.close();
    expect(await (await answer).json()).toMatchObject({ statusCode: '403' });
    expect(onDisk().length).toBe(before);
  });
});
