import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { CANNOT_MOUNT_REASON, mountSmallDisk } from '../../../support/small-disk.ts';
import {
  asServer,
  backend,
  type Files,
  files,
  onDisk,
  png,
  server,
  text,
  useStorage,
} from './storage-context.ts';

useStorage();

describe('uploads', () => {
  const BODY = 'Grüße aus dem Rathaus';
  const bytes = new TextEncoder().encode(BODY);
  const form = new FormData();
  form.append('cacheControl', '60');
  form.append('metadata', JSON.stringify({ desk: 'city' }));
  form.append('', new Blob([bytes], { type: 'text/plain' }));
  const options = { cacheControl: '60', contentType: 'text/plain', metadata: { desk: 'city' } };

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
    const { data, error } = await files.upload(name, body(), options);
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

  test('have empty metadata if the client sends none, and an ETag with their info', async () => {
    await files.upload('plain.txt', BODY);
    const { data } = await files.info('plain.txt');
    expect(data?.metadata).toEqual({});
    for (const method of ['GET', 'HEAD']) {
      const answer = await asServer('/object/info/files/plain.txt', { method });
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, data?.etag]);
    }
  });

  test('with a content encoding are refused, as bytes, form or copy', async () => {
    const refused = { code: 'FeatureNotEnabled', message: expect.stringContaining('content encoding') };
    const gzip = { contentEncoding: 'gzip' };
    expect((await files.upload('a.gz', Buffer.from('x'), gzip)).error).toMatchObject(refused);
    expect((await files.upload('a.gz', new Blob(['x']), gzip)).error).toMatchObject(refused);
    await files.upload('plain.gz', 'x');
    const copied = await files.copy('plain.gz', 'a.gz', { copyMetadata: false, metadata: gzip });
    expect(copied.error).toMatchObject(refused);
    expect((await files.exists('a.gz')).data).toBe(false);
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
    await eventually(() => expect(onDisk().length).toBe(before.length + 1));
    socket.destroy();
    await eventually(() => expect(onDisk()).toEqual(before));
    expect((await files.exists('broken')).data).toBe(false);
  });
});

test('are unavailable on a full disk, leave nothing, and work again when there is space', async ({
  skip,
}) => {
  const folder = join(backend.data, 'uploads');
  await files.upload('before-it.bin', 'x');
  const before = onDisk();
  const disk = mountSmallDisk(folder, '2m');
  if (!disk) return skip(CANNOT_MOUNT_REASON);
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
    disk.unmount();
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
