import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { upload } from '../../../src/islands/outbox/upload.ts';

/** A photo. Outside browsers, the TUS client uploads buffers only. */
const photo = () => Object.assign(Buffer.from('photo'), { type: 'image/jpeg' }) as unknown as Blob;

/** Starts a server of uploads. @returns its endpoint and the methods that it received */
async function startStorage(answer: RequestListener) {
  const methods: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    methods.push(request.method);
    request.resume();
    answer(request, response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/upload`, methods };
}

function uploadTo(endpoint: string, uploadUrl?: string, signal = new AbortController().signal) {
  const target = { endpoint, bucket: 'photos', headers: vi.fn(() => ({})), forget: vi.fn() };
  const handlers = { onStarted: vi.fn(), onProgress: vi.fn() };
  const file = { blob: photo(), name: 'incoming/photo', ...(uploadUrl && { uploadUrl }) };
  return { target, handlers, uploaded: upload(file, target, handlers, signal) };
}

test('sends nothing for a signal that is aborted before the start', async () => {
  const { target, uploaded } = uploadTo('http://127.0.0.1:9/upload', undefined, AbortSignal.abort());
  await expect(uploaded).rejects.toMatchObject({ refusal: { code: 'unavailable' } });
  expect(target.headers).not.toHaveBeenCalled();
});

test.each([423, 429, 500, 503])('keeps an upload that was answered with %i', async (status) => {
  const { endpoint, methods } = await startStorage((_, response) => response.writeHead(status).end());
  const { uploaded } = uploadTo(endpoint, `${endpoint}/earlier`);
  await expect(uploaded).rejects.toMatchObject({ refusal: { code: 'unavailable' } });
  // Another upload would begin with POST.
  expect(methods).toEqual(['HEAD']);
});

test('forgets credentials that were rejected', async () => {
  const { endpoint } = await startStorage((_, response) => response.writeHead(401).end());
  const { target, uploaded } = uploadTo(endpoint);
  await expect(uploaded).rejects.toMatchObject({ refusal: { code: 'signed_out' } });
  expect(target.forget).toHaveBeenCalledTimes(1);
});

test('fails when nothing arrives for 45 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = Promise.withResolvers<void>();
  const { endpoint } = await startStorage(() => asked.resolve());
  const { uploaded } = uploadTo(endpoint);
  let isSettled = false;
  const settled = uploaded.catch((error) => error).finally(() => (isSettled = true));
  await asked.promise;
  await vi.advanceTimersByTimeAsync(44_000);
  expect(isSettled).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await settled).toMatchObject({ refusal: { code: 'unavailable' } });
});
