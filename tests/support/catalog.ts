import { openEngine } from '../../packages/embedded-supabase/src/engine/open.ts';
import type { Session } from '../../packages/embedded-supabase/src/engine/session.ts';
import { newDataFolder, removeData } from './data-template.ts';
import { whereIs } from './engine.ts';

export type Catalog = {
  rows<Row>(query: string): Promise<Row[]>;
  /** Does something in a transaction, and undoes it. @returns what came of it */
  tried<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** Opens a database on which every migration has run, and nothing else, as its owner. */
export async function openCatalog(): Promise<Catalog> {
  const data = await newDataFolder();
  const engine = await openEngine({ data, databaseUrl: whereIs(data).DATABASE_URL }, () => {});
  const undo = new Error('Undone on purpose.');
  return {
    rows: async <Row>(query: string) =>
      (await engine.transaction((session) => session.query<Row>(query))).rows,
    async tried<Result>(work: (session: Session) => Promise<Result>) {
      const came: Result[] = [];
      const trying = engine.transaction(async (session) => {
        came.push(await work(session));
        throw undo;
      });
      await trying.catch((error: unknown) => {
        if (error !== undo) throw error;
      });
      return came[0] as Result;
    },
    async close() {
      await engine.close();
      await removeData(data);
    },
  };
}

/** Every table and view of the law, with its columns in order. */
export async function relationsOf({ rows }: Catalog): Promise<Map<string, string[]>> {
  const found = await rows<{ relation: string; columns: string[] }>(`
    select n.nspname || '.' || c.relname as relation, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname in ('public', 'private') and c.relkind in ('r', 'v', 'm', 'p', 'f')
    group by 1 order by 1`);
  return new Map(found.map(({ relation, columns }) => [relation, columns]));
}

/** The names of the API's tables and views. */
export const apiTables = (relations: Map<string, string[]>) =>
  [...relations]
    .filter(([name]) => name.startsWith('public.'))
    .map(([name, columns]) => [name.slice('public.'.length), columns] as [table: string, columns: string[]]);
