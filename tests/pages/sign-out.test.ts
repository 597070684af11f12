import { afterAll, beforeAll, expect, test } from 'vitest';
import { signUp, startBackend, type TestBackend } from '../support/backend.ts';
import { cookieJar } from '../support/http-client.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/http-proxies.ts';
import { startSite, type TestSite } from '../support/site.ts';

let backend: TestBackend;
let proxy: RecordingProxy;
let site: TestSite;

beforeAll(async () => {
  backend = await startBackend();
  proxy = await startRecordingProxy(backend.url);
  site = await startSite({
    environment: {
      PUBLIC_SUPABASE_URL: proxy.url,
      STOPPRESS_BACKEND_HEADERS: JSON.stringify(backend.headers),
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
      SUPABASE_SECRET_KEY: backend.secretKey,
    },
  });
});
afterAll(async () => {
  await site.stop();
  await backend.stop();
});

test('signs out and removes the cookie even when the backend is unreachable', async () => {
  const [email, password] = ['ann@example.com', 'correct horse battery'];
  await signUp(backend, { email, password });
  const jar = cookieJar(site.url);
  expect((await jar.post('/sign-in', { email, password })).status).toBe(303);
  await proxy.close();

  expect((await jar.get('/desk')).status).toBe(503);
  expect((await jar.get('/api/me', { 'sec-fetch-site': 'same-origin' })).status).toBe(503);
  const refused = await cookieJar(site.url).post('/sign-in', { email, password });
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain(`value="${email}"`);

  expect(jar.cookies.size).toBeGreaterThan(0);
  expect((await jar.post('/auth/sign-out')).status).toBe(303);
  expect(jar.cookies.size).toBe(0);
});
