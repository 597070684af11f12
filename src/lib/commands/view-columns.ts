import type { PGlite } from '@electric-sql/pglite';
import type { GeneratorMetadata } from '@supabase/postgrest-typegen';

/*
 * PostgreSQL says of every column of a view that it may be null. One that shows a table's column under its own
 * name cannot be, when that column cannot and no outer join stands between.
 */
const NEVER_NULL = `
  select v.oid::int as view, u.column_name as column
  from pg_class v
  join information_schema.view_column_usage u on u.view_schema = v.relnamespace::regnamespace::text and u.view_name = v.relname
  join information_schema.columns c using (table_schema, table_name, column_name)
  where v.relkind = 'v' and u.view_schema = 'public' and pg_get_viewdef(v.oid) !~* '\\y(left|right|full)\\s+(outer\\s+)?join\\y'
  group by v.oid, u.column_name
  having bool_and(c.is_nullable = 'NO')`;

/** The same metadata, knowing which columns of views are never null. */
export async function withViewColumns(pg: PGlite, metadata: GeneratorMetadata): Promise<GeneratorMetadata> {
  const { rows } = await pg.query<{ view: number; column: string }>(NEVER_NULL);
  const neverNull = new Set(rows.map(({ view, column }) => `${view}.${column}`));
  return {
    ...metadata,
    columns: metadata.columns.map((column) =>
      neverNull.has(`${column.table_id}.${column.name}`) ? { ...column, is_nullable: false } : column,
    ),
  };
}
