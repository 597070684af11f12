import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { serviceClient, signUp, startBackend, type TestBackend } from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';

export type Files = ReturnType<SupabaseClient['storage']['from']>;

export let backend: TestBackend;

export let server: SupabaseClient;

export let ada: Awaited<ReturnType<typeof signUp>>;

export let ben: Awaited<ReturnType<typeof signUp>>;

export let png: Buffer;

/** A bucket without restrictions, accessed as the server. */
export let files: Files;

export const storageUrl = (path: string) => `${backend.url}/storage/v1${path}`;

export const asServer = (path: string, init: RequestInit = {}) =>
  fetch(storageUrl(path), { ...init, headers: { apikey: backend.secretKey, ...init.headers } });

/** Returns the names of the files on disk: one version for each object, and parts of uploads. */
export const onDisk = () =>
  ['files', 'uploads'].flatMap((folder) =>
    readdirSync(join(backend.data, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name),
  );

export const text = async (from: Files, name: string) =>
  (await (await from.download(name)).data?.text()) ?? null;

/** Starts a backend with buckets and two people for the tests of a file. */
export function useStorage(): void {
  beforeAll(async () => {
    backend = await startBackend({ migrations: PROBE_SCHEMA });
    server = serviceClient(backend);
    [ada, ben] = await Promise.all([signUp(backend), signUp(backend)]);
    png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    await server.storage.createBucket('files');
    files = server.storage.from('files');
  });
  afterAll(() => backend.stop());
}
