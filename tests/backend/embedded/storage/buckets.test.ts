import { describe, expect, test } from 'vitest';
import { anonClient, signUp } from '../../../support/backend.ts';
import { eventually } from '../../../support/eventually.ts';
import { ada, backend, ben, onDisk, server, storageUrl, text, useStorage } from './storage-context.ts';

useStorage();

describe('buckets', () => {
  test('can be created, read, listed, changed, emptied and deleted by the server', async () => {
    const { storage } = server;
    const made = await storage.createBucket('round', {
      public: false,
      fileSizeLimit: '20KB',
      allowedMimeTypes: ['image/*'],
    });
    expect(made).toEqual({ data: { name: 'round' }, error: null });
    expect((await storage.createBucket('round')).error).toMatchObject({
      status: 400,
      statusCode: '409',
      code: 'BucketAlreadyExists',
    });
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

  test('store allowed types in one form, and refuse wildcards other than a whole subtype', async () => {
    const { storage } = server;
    const allow = (...allowedMimeTypes: string[]) =>
      storage.updateBucket('typed', { public: false, allowedMimeTypes });
    await storage.createBucket('typed', { public: false, allowedMimeTypes: ['IMAGE/*', 'image/*'] });
    expect((await storage.getBucket('typed')).data?.allowed_mime_types).toEqual(['image/*']);
    expect(
      (await allow(' Text/Plain; charset="UTF-8" ', 'application/json;profile="a,b;c"')).error,
    ).toBeNull();
    const stored = ['text/plain', 'application/json'];
    for (const type of ['*/*', '*', '*/png', 'image/p*', 'image/png/extra', 'image/png;a=b, text/css', '']) {
      expect((await allow(type)).error, type).toMatchObject({
        status: 400,
        statusCode: '415',
        code: 'InvalidMimeType',
      });
    }
    expect((await storage.getBucket('typed')).data?.allowed_mime_types).toEqual(stored);
    await storage.deleteBucket('typed');
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

describe('policies', () => {
  test('restrict people to their own folder', async () => {
    const name = `${ada.user.id}/note.txt`;
    const [mine, theirs] = [ada, ben].map(({ client }) => client.storage.from('rooms'));
    const all = server.storage.from('rooms');
    if (!mine || !theirs) throw new Error('Both people have a client.');
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
    await eventually(() => expect(onDisk().length).toBe(before + 1));
    await server.rpc('close_room', { person: gone.user.id });
    await writer.write(Buffer.from('a letter'));
    await writer.close();
    expect(await (await answer).json()).toMatchObject({ statusCode: '403' });
    expect(onDisk().length).toBe(before);
  });
});
