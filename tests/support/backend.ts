import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SupabaseClient, User } from '@supabase/supabase-js';
import { type BackendProcess, startProcess } from './backend-process.ts';
import { anonClient, type Door, serviceClient } from './clients.ts';
import { MIGRATIONS, newDataFolder, removeData } from './data-template.ts';
import { whereIs } from './engine.ts';

export { anonClient, serviceClient };

export type TestBackend = BackendProcess & {
  /** The data folder, absolute. */
  data: string;
};

type Options = {
  /** Folder of migrations; the product's own by default. */
  migrations?: string;
  /** A data folder to start on again; stop() leaves it where it is. By default a new one, which stop() deletes. */
  data?: string;
  /** More environment variables for the backend. */
  environment?: Record<string, string>;
  /**
   * Another list of what the REST interface offers than the product's. False: none, so that a test of the database's own
   * rules may ask anything, as on a hosted project.
   */
  accessList?: string | false;
};

/** Starts the real embedded backend in its own process on a temporary data folder. */
export async function startBackend(options: Options = {}): Promise<TestBackend> {
  const given = resolve(options.migrations ?? MIGRATIONS);
  const alone =
    options.accessList === undefined ? undefined : mkdtempSync(join(tmpdir(), 'stoppress-migrations-'));
  const migrations = alone ? join(alone, 'migrations') : given;
  if (alone) symlinkSync(given, migrations);
  if (alone && options.accessList) writeFileSync(join(alone, 'rest-access.toml'), options.accessList);
  const data = options.data ?? (await newDataFolder(migrations));
  const child = await startProcess({
    ...options.environment,
    ...whereIs(data),
    STOPPRESS_MIGRATIONS: migrations,
  });
  return {
    ...child,
    data,
    async stop() {
      const exitCode = await child.stop();
      if (alone) rmSync(alone, { recursive: true });
      if (options.data === undefined) await removeData(data);
      return exitCode;
    },
  };
}

/** Signs a new person up and in. Without an e-mail address, one that nobody else has. */
export async function signUp(
  backend: Door,
  { email = `${randomUUID()}@example.com`, password = 'correct horse battery' } = {},
): Promise<{ client: SupabaseClient; user: User }> {
  const client = anonClient(backend);
  const { data, error } = await client.auth.signUp({ email, password });
  if (error) throw error;
  if (!data.user) throw new Error('Signing up answered without a person.');
  return { client, user: data.user };
}
