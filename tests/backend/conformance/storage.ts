import { createHash, randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../support/newsroom.ts';
import { PIXEL } from '../../support/photos.ts';
import { bytesOf, deleteWithFiles, type Project } from './project.ts';

type Files = ReturnType<SupabaseClient['storage']['from']>;

/** Files in a bucket of the tests, and uploads of announced photos. */
export function storage(project: () => Project): void {
  describe('storage', () => {
    let files: Files;
    beforeAll(() => {
      files = project().server.storage.from(project().bucket);
    });
    const TEXT = { contentType: 'text/plain' };
    const textOf = async (path: string) => (await files.download(path)).data?.text();

    test('lets only the server create, change, list and delete buckets', async () => {
      const { storage } = project().server;
      const name = `conformance-${randomUUID()}`;
      const limits = { public: false, fileSizeLimit: 1_000, allowedMimeTypes: ['image/*'] };
      expect((await storage.createBucket(name, limits)).data).toEqual({ name });
      expect((await storage.createBucket(name)).error).toMatchObject({ statusCode: '409' });
      expect((await storage.getBucket(name)).data).toMatchObject({
        file_size_limit: 1_000,
        allowed_mime_types: ['image/*'],
      });
      const { error: wrongType } = await storage.from(name).upload('a', 'text', TEXT);
      expect(wrongType).toMatchObject({ statusCode: '415' });
      const large = Buffer.concat([PIXEL, Buffer.alloc(1_000)]);
      expect((await storage.from(name).upload('a', large, { contentType: 'image/png' })).error).toMatchObject(
        { statusCode: '413' },
      );
      await storage.updateBucket(name, { public: true });
      expect((await storage.from(name).upload('a', PIXEL, { contentType: 'image/png' })).error).toBeNull();
      const open = await fetch(storage.from(name).getPublicUrl('a').data.publicUrl);
      expect([open.status, open.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await open.arrayBuffer()).equals(PIXEL)).toBe(true);
      expect((await storage.deleteBucket(name)).error).not.toBeNull();
      expect((await storage.emptyBucket(name)).error).toBeNull();
      await deleteWithFiles(project().server, name);
      expect((await storage.getBucket(name)).error).toMatchObject({ statusCode: '404' });
      for (const client of [project().anon(), project().editor.client]) {
        expect((await client.storage.createBucket(name)).error).not.toBeNull();
        expect((await client.storage.getBucket(project().bucket)).error).not.toBeNull();
      }
    });

    test('returns files unchanged with their metadata, uploaded as text, bytes or form', async () => {
      const words = 'Grüße aus dem Rathaus';
      const form = new FormData();
      form.append('', new Blob([words], { type: 'text/plain' }));
      const bodies = {
        text: words,
        bytes: Buffer.from(words),
        blob: new Blob([words], { type: 'text/plain' }),
        form,
      };
      for (const [kind, body] of Object.entries(bodies)) {
        const path = `up/${kind}.txt`;
        const { data, error } = await files.upload(path, body, {
          ...TEXT,
          cacheControl: '60',
          metadata: { desk: 'city' },
        });
        expect(error, kind).toBeNull();
        expect(data).toMatchObject({ path, fullPath: `${project().bucket}/${path}`, id: expect.any(String) });
        expect(await textOf(path), kind).toBe(words);
      }
      expect((await files.info('up/bytes.txt')).data).toMatchObject({
        size: Buffer.byteLength(words),
        contentType: 'text/plain',
        cacheControl: 'max-age=60',
        etag: `"${createHash('md5').update(words).digest('hex')}"`,
        metadata: { desk: 'city' },
      });
      await files.upload('up/plain.txt', words, TEXT);
      expect((await files.info('up/plain.txt')).data?.metadata).toEqual({});
    });

    test('refuses an existing path unless the client asks to overwrite it', async () => {
      expect((await files.upload('place', 'one', TEXT)).error).toBeNull();
      expect((await files.upload('place', 'two', TEXT)).error).toMatchObject({
        statusCode: '409',
        message: 'The resource already exists',
      });
      expect(await textOf('place')).toBe('one');
      expect((await files.upload('place', 'two', { ...TEXT, upsert: true })).error).toBeNull();
      expect((await files.update('place', 'three', TEXT)).error).toBeNull();
      expect(await textOf('place')).toBe('three');
      expect([(await files.exists('place')).data, (await files.exists('nowhere')).data]).toEqual([
        true,
        false,
      ]);
      expect((await files.download('nowhere')).error).not.toBeNull();
    });

    test('lists files by folder, in order and in pages, and moves, copies and removes them', async () => {
      for (const path of ['list/b.txt', 'list/a.txt', 'list/deep/c.txt'])
        await files.upload(path, path, TEXT);
      const names = async (folder: string, options = {}) =>
        (await files.list(folder, options)).data?.map(({ name }) => name);
      expect((await names('list'))?.sort()).toEqual(['a.txt', 'b.txt', 'deep']);
      expect((await files.list('list')).data?.find(({ name }) => name === 'deep')?.id).toBeNull();
      const sortBy = { column: 'name', order: 'desc' };
      expect(await names('list', { limit: 1, search: 'a', sortBy })).toEqual(['a.txt']);
      expect(await names('list/deep')).toEqual(['c.txt']);
      const { data: page } = await files.listV2({ prefix: 'list/', with_delimiter: true });
      expect(page?.folders).toMatchObject([{ name: 'list/deep/', key: 'list/deep' }]);
      expect((await files.move('list/a.txt', 'list/moved.txt')).error).toBeNull();
      expect((await files.copy('list/b.txt', 'list/copied.txt')).error).toBeNull();
      expect(await textOf('list/moved.txt')).toBe('list/a.txt');
      expect((await files.download('list/a.txt')).error).not.toBeNull();
      const removed = await files.remove(['list/moved.txt', 'list/copied.txt', 'list/nothing.txt']);
      expect(removed.data?.map(({ name }) => name).sort()).toEqual(['list/copied.txt', 'list/moved.txt']);
      expect((await names('list'))?.sort()).toEqual(['b.txt', 'deep']);
    });

    test('answers range requests, and 304 for a known ETag', async () => {
      await files.upload('range.txt', '0123456789', TEXT);
      const get = (headers: Record<string, string>) =>
        fetch(`${project().url}/storage/v1/object/authenticated/${project().bucket}/range.txt`, {
          headers: {
            apikey: project().secretKey,
            authorization: `Bearer ${project().secretKey}`,
            ...headers,
          },
        });
      const part = await get({ range: 'bytes=2-4' });
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
        206,
        'bytes 2-4/10',
        '234',
      ]);
      const whole = await get({});
      const again = await get({ 'if-none-match': whole.headers.get('etag') ?? '' });
      expect([await whole.text(), again.status]).toEqual(['0123456789', 304]);
    });

    test('opens one file for a limited time with a signed URL, and one path for a signed upload', async () => {
      await files.upload('signed.txt', 'signed', TEXT);
      const { data, error } = await files.createSignedUrl('signed.txt', 60, { download: 'b.txt' });
      expect(error).toBeNull();
      const opened = await fetch(data?.signedUrl ?? '');
      expect(await opened.text()).toBe('signed');
      expect(opened.headers.get('content-disposition')).toContain('b.txt');
      for (const [from, to] of [
        ['token=', 'token=x'],
        ['signed.txt?', 'place?'],
      ] as const) {
        expect((await fetch((data?.signedUrl ?? '').replace(from, to))).ok, to).toBe(false);
      }
      const many = await files.createSignedUrls(['signed.txt', 'nowhere.txt'], 60);
      expect(many.data?.map(({ error }) => error === null)).toEqual([true, false]);

      const place = await files.createSignedUploadUrl('placed.txt');
      const stranger = project().anon().storage.from(project().bucket);
      const put = (path: string, words: string) =>
        stranger.uploadToSignedUrl(path, place.data?.token ?? '', words, TEXT);
      expect((await put('elsewhere.txt', 'no')).error).not.toBeNull();
      expect((await put('placed.txt', 'yes')).error).toBeNull();
      expect((await put('placed.txt', 'twice')).error).not.toBeNull();
      expect([await textOf('placed.txt'), (await files.exists('elsewhere.txt')).data]).toEqual([
        'yes',
        false,
      ]);
    });

    test('allows what policies allow: the upload of an announced photo, and no other file', async () => {
      const { client } = project().reporter;
      const photo_id = randomUUID();
      await call(client, 'save_photo', {
        photo_id,
        coverage_id: project().draft.id,
        content: { alt: 'A pixel.' },
      });
      const path = `incoming/${photo_id}`;
      const send = (who: SupabaseClient, to: string) =>
        who.storage.from('photos').upload(to, PIXEL, { contentType: 'image/png' });
      for (const [who, to] of [
        [project().anon(), path],
        [project().editor.client, path],
        [client, `incoming/${randomUUID()}`],
      ] as const) {
        expect((await send(who, to)).error, to).not.toBeNull();
      }
      expect((await send(client, path)).error).toBeNull();
      const photos = client.storage.from('photos');
      expect((await photos.download(path)).error).not.toBeNull();
      expect((await photos.createSignedUrl(path, 60)).error).not.toBeNull();
      expect((await photos.remove([path])).data ?? []).toEqual([]);
      expect((await photos.list('incoming')).data ?? []).toEqual([]);
      expect((await client.storage.from(project().bucket).upload('x', 'x')).error).not.toBeNull();
      const { server } = project();
      const kept = await server.storage.from('photos').download(path);
      expect((await bytesOf(kept.data)).equals(PIXEL)).toBe(true);
      expect((await server.storage.from('photos').remove([path])).data).toHaveLength(1);
    });
  });
}
