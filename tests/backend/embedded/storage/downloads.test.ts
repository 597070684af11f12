import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { anonClient } from '../../../support/backend.ts';
import { eventually } from '../../../support/eventually.ts';
import { ada, backend, ben, files, png, server, storageUrl, text, useStorage } from './storage-context.ts';

useStorage();

/** Target of a file descriptor, or '' after it was closed. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

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

  test('of a public bucket need no policy with a key', async () => {
    const own = anonClient(backend).storage.from('open');
    expect(await (await own.download('dir/a b.txt')).data?.text()).toBe('0123456789');
    expect((await own.info('dir/a b.txt')).data).toMatchObject({ size: 10 });
    expect((await own.exists('dir/a b.txt')).data).toBe(true);
    expect((await own.list('dir')).data).toEqual([]);
    expect((await own.createSignedUrl('dir/a b.txt', 60)).error).toMatchObject({ code: 'NoSuchKey' });
    expect((await own.download('dir/nothing')).error).toMatchObject({ status: 400 });
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
    ['bytes=', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
    ['bytes=a-b', 200, '0123456789', null],
    ['junk', 200, '0123456789', null],
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
    await eventually(() => expect(opened().filter((path) => path.includes('/files/'))).toEqual([]));
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
    const lifetime = async (expiresIn: unknown) =>
      (await files.createSignedUrl('s/other.txt', expiresIn as number)).error;
    for (const wrong of [0, -1, 1.5, 'soon', '', null, undefined, [60], {}]) {
      expect(await lifetime(wrong), String(wrong)).toMatchObject({
        status: 400,
        statusCode: '400',
        code: 'InvalidRequest',
      });
    }
    expect(await lifetime('60')).toBeNull();
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
