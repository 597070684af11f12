import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { serviceClient } from './backend.ts';
import { startChild } from './child.ts';
import { newDataFolder } from './data-template.ts';

export type TestSite = {
  /** Where visitors find it, without a slash at the end. The backend's paths are under it too. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** The data folder, absolute. */
  data: string;
  pid: number;
  /** The server's own client, past every policy: for setting the scene and for reading rows again. */
  service: SupabaseClient;
  /** Everything the server has written to stderr so far. */
  errors(): string;
  /** Everything it has written to stdout so far. */
  said(): string;
  stop(): Promise<number | null>;
  /** Stops it and leaves its data, for another to start on. */
  halt(): Promise<number | null>;
};

/** What was built, in one process or as `npm start` runs it, or `npm run dev` on the sources. */
export type Program = 'main' | 'supervisor/main' | 'dev';

type Options = {
  program?: Program;
  /** A data folder to start on again; stop() leaves it where it is. By default a new one, which stop() deletes. */
  data?: string;
  /** More environment variables for the server. */
  environment?: Record<string, string>;
  /** The folder that the program stands in, where it is not this one. */
  root?: string;
};

/** Starts the site with its embedded backend, as `npm start` does, on a free port and a temporary data folder. */
export async function startSite(options: Options = {}): Promise<TestSite> {
  const data = options.data ?? (await newDataFolder());
  const keys = {
    publishableKey: `sb_publishable_${randomUUID()}`,
    secretKey: `sb_secret_${randomUUID()}`,
  };
  const child = await startChild<{ url: string }>(
    resolve(options.root ?? '', `src/lib/server/${options.program ?? 'main'}.ts`),
    {
      PORT: '0',
      STOPPRESS_DATA: data,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: keys.publishableKey,
      SUPABASE_SECRET_KEY: keys.secretKey,
      ...options.environment,
    },
  );
  const { url } = child.ready;
  return {
    ...keys,
    url,
    data,
    pid: child.pid,
    service: serviceClient({ url, ...keys }),
    errors: child.errors,
    said: child.said,
    halt: child.stop,
    async stop() {
      const exitCode = await child.stop();
      if (options.data === undefined) await rm(data, { recursive: true, force: true });
      return exitCode;
    },
  };
}
