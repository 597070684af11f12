import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createClient, type SupabaseClient, type User } from '@supabase/supabase-js';
import { dataEnvironment, MIGRATIONS, newDataFolder, removeData } from './data-folders.ts';
import { type BackendProcess, startProcess } from './processes.ts';

/** URL, keys and headers with which a client reaches a backend. */
export type BackendAccess = Pick<BackendProcess, 'url' | 'publishableKey' | 'secretKey'> &
  Partial<Pick<BackendProcess, 'headers'>>;

/** Creates a client as a browser has it: with the publishable key, and with its session in memory only. */
export function anonClient({ url, publishableKey, headers }: BackendAccess): SupabaseClient {
  const auth = { persistSession: false, autoRefreshToken: false };
  return createClient(url, publishableKey, { auth, global: { headers } });
}

/** Creates a client as the server has it: with the secret key, which passes every policy. */
export function serviceClient({ url, secretKey }: BackendAccess): SupabaseClient {
  return createClient(url, secretKey, { auth: { persistSession: false, autoRefreshToken: false } });
}

export type TestBackend = BackendProcess & {
  /** The data folder, absolute. */
  data: string;
};

export type BackendOptions = {
  /** Folder of migrations. The default is the product's own. */
  migrations?: string;
  /** A data folder to start on. `stop()` leaves it in place. By default a new one, which `stop()` deletes. */
  data?: string;
  /** More environment variables for the backend. */
  environment?: Record<string, string>;
  /**
   * Access list of the REST interface, instead of the product's. `false` means no list: tests of database rules may
   * then send any query, as on a hosted project.
   */
  accessList?: string | false;
};

/** Starts the real embedded backend in its own process on a temporary data folder. */
export async function startBackend(options: BackendOptions = {}): Promise<TestBackend> {
  const source = resolve(options.migrations ?? MIGRATIONS);
  const separateFolder =
    options.accessList === undefined ? undefined : mkdtempSync(join(tmpdir(), 'stoppress-migrations-'));
  const migrations = separateFolder ? join(separateFolder, 'migrations') : source;
  if (separateFolder) symlinkSync(source, migrations);
  if (separateFolder && options.accessList)
    writeFileSync(join(separateFolder, 'rest-access.toml'), options.accessList);
  const data = options.data ?? (await newDataFolder(migrations));
  const child = await startProcess({
    ...options.environment,
    ...dataEnvironment(data),
    EMBEDDED_SUPABASE_MIGRATIONS: migrations,
  });
  return {
    ...child,
    data,
    async stop() {
      const exitCode = await child.stop();
      if (separateFolder) rmSync(separateFolder, { recursive: true });
      if (options.data === undefined) await removeData(data);
      return exitCode;
    },
  };
}

/** Signs a new person up and in. The default e-mail address is unique. */
export async function signUp(
  backend: BackendAccess,
  { email = `${randomUUID()}@example.com`, password = 'correct horse battery' } = {},
): Promise<{ client: SupabaseClient; user: User }> {
  const client = anonClient(backend);
  const { data, error } = await client.auth.signUp({ email, password });
  if (error) throw error;
  if (!data.user) throw new Error('The response to a sign-up contains the user.');
  return { client, user: data.user };
}

/** Access list of the REST interface, in the folder that contains the folder of migrations. */
const ACCESS_LIST = 'rest-access.toml';

/** Runs any statement as the owner of the database. Only tests have this function. */
const OWNER_SQL = `
create function public.owner_sql(query text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare answer jsonb;
begin
  execute format('with asked as (%s) select coalesce(jsonb_agg(asked), ''[]'') from asked', query) into answer;
  return answer;
end $$;
revoke execute on function public.owner_sql(text) from public, anon, authenticated;
grant execute on function public.owner_sql(text) to service_role;
`;

export type OwnedBackend = TestBackend & {
  /** Runs one statement as the owner of the database. A change needs `returning`. */
  sql<Row = Record<string, unknown>>(query: string): Promise<Row[]>;
};

/** Starts a backend for a test that changes times or reads tables that no interface offers. */
export async function startOwnedBackend(environment: Record<string, string> = {}): Promise<OwnedBackend> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-migrations-'));
  const migrations = join(folder, 'migrations');
  try {
    await cp(MIGRATIONS, migrations, { recursive: true });
    await cp(join(dirname(MIGRATIONS), ACCESS_LIST), join(folder, ACCESS_LIST));
    await writeFile(join(migrations, '29990101000000_owner_sql.sql'), OWNER_SQL);
    const backend = await startBackend({ migrations, environment });
    const service = serviceClient(backend);
    return {
      ...backend,
      sql: async (query) => (await service.rpc('owner_sql', { query }).throwOnError()).data,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
