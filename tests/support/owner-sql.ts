import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serviceClient, startBackend, type TestBackend } from './backend.ts';
import { MIGRATIONS } from './data-template.ts';
import { run } from './newsroom.ts';

/** Stands beside the migrations. */
const ACCESS_LIST = 'rest-access.toml';

/** Runs as the owner of the database what its caller says. No product has such a thing. */
const DOOR = `
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
    await writeFile(join(migrations, '29990101000000_owner_sql.sql'), DOOR);
    const backend = await startBackend({ migrations, environment });
    const service = serviceClient(backend);
    return { ...backend, sql: (query) => run(service, 'owner_sql', { query }) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
