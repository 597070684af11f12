import { expect, test, vi } from 'vitest';
import { upload } from '../../../src/islands/outbox/upload.ts';

test('sends nothing for a signal that is aborted before the start', async () => {
  const headers = vi.fn(() => ({}));
  const target = { endpoint: 'http://127.0.0.1:9/upload', bucket: 'photos', headers };
  const handlers = { onStarted: () => {}, onProgress: () => {} };
  // Outside browsers, the TUS client uploads buffers only.
  const blob = Object.assign(Buffer.from('photo'), { type: 'image/jpeg' }) as unknown as Blob;
  const uploaded = upload({ blob, name: 'incoming/photo' }, target, handlers, AbortSignal.abort());
  await expect(uploaded).rejects.toMatchObject({ refusal: { code: 'unavailable' } });
  expect(headers).not.toHaveBeenCalled();
});
