import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createClient, type SupabaseClient, type User } from '@supabase/supabase-js';
import { dataEnvironment, MIGRATIONS, newDataFolder, removeData } from './data-folders.ts';
import { type BackendProcess, startProcess } from './processes.ts';

/** What it takes to be a client of a backend. */
export type BackendAccess = Pick<BackendProcess, 'url' | 'publishableKey' | 'secretKey'> &
  Partial<Pick<BackendProcess, 'headers'>>;

/** A client as a browser has it, without limits: the publishable key, a session in memory only. */
export function anonClient({ url, publishableKey, headers }: BackendAccess): SupabaseClient {
  const auth = { persistSession: false, autoRefreshToken: false };
  return createClient(url, publishableKey, { auth, global: { headers } });
}

/** A client as the server has it: the secret key, past every policy. */
export function serviceClient({ url, secretKey }: BackendAccess): SupabaseClient {
  return createClient(url, secretKey, { auth: { persistSession: false, autoRefreshToken: false } });
}

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
    STOPPRESS_MIGRATIONS: migrations,
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

/** Signs a new person up and in. Without an e-mail address, one that nobody else has. */
export async function signUp(
  backend: BackendAccess,
  { email = `${randomUUID()}@example.com`, password = 'correct horse battery' } = {},
): Promise<{ client: SupabaseClient; user: User }> {
  const client = anonClient(backend);
  const { data, error } = await client.auth.signUp({ email, password });
  if (error) throw error;
  if (!data.user) throw new Error('Signing up answered without a person.');
  return { client, user: data.user };
}

/** Stands beside the migrations. */
const ACCESS_LIST = 'rest-access.toml';

/** Runs as the owner of the database what its caller says. No product has such a thing. */
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
  /** One statement with rows (a change says `returning`), as the owner of the database, while the backend runs. */
  sql<Row = Record<string, unknown>>(query: string): Promise<Row[]>;
};

/** A backend whose test turns clocks and looks into tables that no interface shows. */
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
