import { randomBytes, randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { describe, expect, test } from 'vitest';
import { call } from '../../support/newsroom.ts';
import { PIXEL } from '../../support/photos.ts';
import { bytesOf, type Project } from './project.ts';

/** The only chunk size that a hosted project accepts. */
const CHUNK_BYTES = 6 * 1024 * 1024;

type Place = { bucket: string; path: string; type?: string };
type Headers = Record<string, string>;

/** Resumable uploads with tus-js-client, as in Supabase's documentation. */
export function resumable(project: () => Project): void {
  describe('resumable uploads', () => {
    const server = (): Headers => ({
      authorization: `Bearer ${project().secretKey}`,
      apikey: project().secretKey,
    });
    const as = async (client: SupabaseClient): Promise<Headers> => ({
      authorization: `Bearer ${(await client.auth.getSession()).data.session?.access_token}`,
      apikey: project().publishableKey,
    });
    const files = () => project().server.storage.from(project().bucket);
    const kept = async (path: string) => bytesOf((await files().download(path)).data);

    function uploadOf(bytes: Buffer, { bucket, path, type }: Place, headers: Headers, more: UploadOptions) {
      return new Upload(bytes, {
        endpoint: `${project().url}/storage/v1/upload/resumable`,
        retryDelays: null,
        headers,
        uploadDataDuringCreation: true,
        removeFingerprintOnSuccess: true,
        storeFingerprintForResuming: false,
        metadata: {
          bucketName: bucket,
          objectName: path,
          contentType: type ?? 'application/octet-stream',
          cacheControl: '60',
        },
        chunkSize: CHUNK_BYTES,
        ...more,
      });
    }

    /** Uploads bytes completely. @throws DetailedError if it is refused */
    const send = (bytes: Buffer, place: Place, headers = server(), more: UploadOptions = {}) =>
      new Promise<void>((resolve, onError) => {
        uploadOf(bytes, place, headers, { ...more, onSuccess: () => resolve(), onError }).start();
      });

    /** Uploads the first chunk only. @returns the URL of the upload */
    const begin = (bytes: Buffer, place: Place) =>
      new Promise<string>((resolve, onError) => {
        const onChunkComplete = () => upload.abort().then(() => resolve(upload.url ?? ''), onError);
        const upload = uploadOf(bytes, place, server(), { onChunkComplete, onError });
        upload.start();
      });

    /** The status of a refused upload. */
    async function refusal(sending: Promise<unknown>) {
      try {
        await sending;
      } catch (error) {
        if (error instanceof DetailedError) return error.originalResponse?.getStatus();
        throw error;
      }
      return 'accepted';
    }

    test('continues an interrupted upload, for its creator only', async () => {
      const bytes = randomBytes(CHUNK_BYTES + 1_000_000);
      const place = { bucket: project().bucket, path: 'large.bin' };
      const uploadUrl = await begin(bytes, place);
      expect((await files().exists(place.path)).data).toBe(false);
      const stranger = await as(project().reporter.client);
      expect([400, 403, 404]).toContain(await refusal(send(bytes, place, stranger, { uploadUrl })));
      const sizes: number[] = [];
      await send(bytes, place, server(), {
        uploadUrl,
        onChunkComplete: (size) => sizes.push(size),
      });
      expect(sizes, 'only the rest').toEqual([1_000_000]);
      expect((await kept(place.path)).equals(bytes)).toBe(true);
    });

    test('refuses an existing path unless the client asks to overwrite it', async () => {
      const place = { bucket: project().bucket, path: 'again.txt', type: 'text/plain' };
      await send(Buffer.from('one'), place);
      expect(await refusal(send(Buffer.from('two'), place))).toBe(409);
      await send(Buffer.from('two'), place, { ...server(), 'x-upsert': 'true' });
      expect(String(await kept(place.path))).toBe('two');
    });

    test('checks permission and size before it receives bytes', async () => {
      const { client } = project().reporter;
      const photo_id = randomUUID();
      await call(client, 'save_photo', { photo_id, coverage_id: project().draft.id, content: {} });
      const photo = { bucket: 'photos', path: `incoming/${photo_id}`, type: 'image/png' };
      expect(await refusal(send(PIXEL, photo, await as(project().editor.client)))).toBe(403);
      const nobody = await refusal(send(PIXEL, photo, { apikey: project().publishableKey }));
      expect([400, 401, 403]).toContain(nobody);
      await send(PIXEL, photo, await as(client));
      const photos = project().server.storage.from('photos');
      expect((await bytesOf((await photos.download(photo.path)).data)).equals(PIXEL)).toBe(true);
      await photos.remove([photo.path]);
      expect([400, 404]).toContain(await refusal(send(PIXEL, { bucket: `no-${randomUUID()}`, path: 'x' })));
      const large = Buffer.alloc(10_000_001);
      expect(await refusal(send(large, { bucket: project().bucket, path: 'x' }))).toBe(413);
    });

    test('accepts one upload for a signed path', async () => {
      const place = { bucket: project().bucket, path: 'signed.bin' };
      const { data } = await files().createSignedUploadUrl(place.path);
      const headers = { apikey: project().publishableKey, 'x-signature': data?.token ?? '' };
      const endpoint = `${project().url}/storage/v1/upload/resumable/sign`;
      const elsewhere = send(PIXEL, { ...place, path: 'other.bin' }, headers, { endpoint });
      expect([400, 401, 403]).toContain(await refusal(elsewhere));
      await send(PIXEL, place, headers, { endpoint });
      expect((await kept(place.path)).equals(PIXEL)).toBe(true);
    });
  });
}
