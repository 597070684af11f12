import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { engineOptions } from '../../supabase/embedded/engine.ts';
import { newDataFolder } from './data-template.ts';

/** Opens the files of a database on which every migration has run, and nothing else, as its owner. */
export async function openCatalog(): Promise<{ pg: PGlite; close(): Promise<void> }> {
  const data = await newDataFolder(resolve('supabase/migrations'));
  const pg = await PGlite.create(join(data, 'db'), engineOptions);
  return {
    pg,
    async close() {
      await pg.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Every table and view of the law, with its columns in order. */
export async function relationsOf(pg: PGlite): Promise<Map<string, string[]>> {
  const { rows } = await pg.query<{ relation: string; columns: string[] }>(`
    select n.nspname || '.' || c.relname as relation, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname in ('public', 'private') and c.relkind in ('r', 'v', 'm', 'p', 'f')
    group by 1 order by 1`);
  return new Map(rows.map(({ relation, columns }) => [relation, columns]));
}
