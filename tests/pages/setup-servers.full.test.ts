import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serviceClient, signUp, startBackend, type TestBackend } from '../support/backend.ts';
import { cookieJar } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import { startSite, type TestSite } from '../support/site.ts';
import { codeOf, OWNER } from './setup-context.ts';

describe('setup with several servers on one project', () => {
  let backend: TestBackend;
  let environment: Record<string, string>;
  const sites: TestSite[] = [];
  const start = async () => {
    const site = await startSite({ environment });
    sites.push(site);
    return site;
  };
  beforeAll(async () => {
    backend = await startBackend();
    environment = {
      PUBLIC_SUPABASE_URL: backend.url,
      STOPPRESS_BACKEND_HEADERS: JSON.stringify(backend.headers),
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
      SUPABASE_SECRET_KEY: backend.secretKey,
    };
    await start();
    await start();
  });
  afterAll(async () => {
    for (const site of sites) await site.stop();
    await backend.stop();
  });

  test('invalidates the code of an earlier start', async () => {
    const [first, second] = sites as [TestSite, TestSite];
    const codes = [await codeOf(first), await codeOf(second)] as const;
    const jar = cookieJar(first.url);
    expect((await jar.post('/setup', { ...OWNER, code: codes[0] })).status).toBe(403);
    expect((await jar.post('/setup', { ...OWNER, code: codes[1] })).status).toBe(303);
  });

  test('prints no code and has no setup page when there is an owner', async () => {
    const { user } = await signUp(backend);
    await call(serviceClient(backend), 'set_role', { person_id: user.id, role: 'owner' });
    const site = await start();
    expect(site.output()).toContain(site.url);
    expect(site.output()).not.toContain('/setup');
    expect((await cookieJar(site.url).get('/setup')).status).toBe(404);
  });
});

test('starts without its backend, and logs that it could not check for an owner', async () => {
  const site = await startSite({
    environment: {
      PUBLIC_SUPABASE_URL: 'http://127.0.0.1:1',
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: randomUUID(),
      SUPABASE_SECRET_KEY: randomUUID(),
    },
  });
  onTestFinished(async () => void (await site.stop()));
  expect(site.errors()).toContain('it is not known whether this newsroom has an owner');
  expect((await cookieJar(site.url).get('/setup')).status).toBe(503);
});
