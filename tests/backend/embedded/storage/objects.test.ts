import { beforeAll, describe, expect, test } from 'vitest';
import { ada, asServer, type Files, files, onDisk, png, server, useStorage } from './storage-context.ts';

useStorage();

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
    const { data } = await tree.listV2({ prefix: 'aa/', with_delimiter: true });
    expect(data?.folders).toEqual([{ name: 'aa/deep/', key: 'aa/deep' }]);
    expect(data?.objects.map(({ name, key }) => [name, key])).toContainEqual(['aa/one', 'aa/one']);
  });
});

test('all times of buckets and objects are in UTC and end in Z', async () => {
  await server.storage.createBucket('clock');
  const clock = server.storage.from('clock');
  await clock.upload('a/b.txt', 'x');
  const texts = [
    await server.storage.getBucket('clock'),
    await server.storage.listBuckets({ search: 'clock' }),
    await clock.list('a'),
    await clock.listV2(),
    await clock.info('a/b.txt'),
    await clock.remove(['a/b.txt']),
  ].map(({ data }) => JSON.stringify(data));
  await server.storage.deleteBucket('clock');
  for (const text of texts) {
    const times = text.match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
    expect(times, text).not.toEqual([]);
    expect(times.filter((time) => !/T\d\d:\d\d:\d\d\.\d{3}Z"$/.test(time))).toEqual([]);
  }
});

test.each([
  ['no prefix', {}],
  ['an unknown column', { prefix: '', sortBy: { column: 'size' } }],
  ['an unknown order', { prefix: '', sortBy: { column: 'name', order: 'up' } }],
  ['a limit of 0', { prefix: '', limit: 0 }],
])('a list with %s is refused', async (_what, body) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await asServer('/object/list/tree', { method: 'POST', headers, body: JSON.stringify(body) });
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'InvalidRequest' }]);
});

test.each(['application/xml', 'application/x-www-form-urlencoded', 'junk'])(
  'a JSON route refuses a body of the type %s',
  async (type) => {
    const headers = { 'content-type': type };
    const answer = await asServer('/object/list/files', { method: 'POST', headers, body: '{}' });
    expect([answer.status, await answer.json()]).toMatchObject([
      415,
      { statusCode: '415', code: 'InvalidMimeType', message: 'Unsupported Media Type' },
    ]);
  },
);

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
      metadata: {},
    });
    const given = Buffer.from('{"desk":"sports"}').toString('base64');
    await server.storage
      .from('files')
      .setHeader('x-metadata', given)
      .copy('c.txt', 'e.txt', { copyMetadata: false, metadata: { mimetype: 'text/csv' } });
    expect((await files.info('e.txt')).data).toMatchObject({
      cacheControl: 'max-age=3600',
      contentType: 'text/csv',
      metadata: { desk: 'sports' },
    });
    await files.remove(['e.txt']);
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
