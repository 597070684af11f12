import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AccessList,
  type EmbedAccess,
  parseAccessList,
  readAccessList,
} from '../../../packages/embedded-supabase/src/rest/access-list.ts';
import { startBackend } from '../../support/backend.ts';
import { MIGRATIONS } from '../../support/data-folders.ts';
import { type Catalog, openCatalog } from '../../support/database.ts';
import { StartError } from '../../support/processes.ts';
import { namesIn, rowsOf } from '../database/matrix/table.ts';

let catalog: Catalog;
let list: AccessList;
beforeAll(async () => {
  catalog = await openCatalog();
  list = (await readAccessList(MIGRATIONS)) ?? parseAccessList('');
});
afterAll(() => catalog?.close());

const sorted = (names: Iterable<string>) => [...names].sort();

describe('the access list of the product', () => {
  it('names every table and view, with the columns that the roles may read', async () => {
    const rows = await catalog.rows<{ name: string; role: string; columns: string[] | null }>(`
      select c.relname as name, r.role, json_agg(a.attname) filter (where has_column_privilege(r.role, c.oid, a.attnum, 'select')) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped,
        unnest(array['anon', 'authenticated']) r (role)
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p') group by 1, 2`);
    const readable = (name: string, role: string) =>
      sorted(rows.find((row) => row.name === name && row.role === role)?.columns ?? []);
    expect(sorted(list.tables.keys())).toEqual(sorted(new Set(rows.map(({ name }) => name))));
    for (const [name, { audience, columns }] of list.tables) {
      expect([name, readable(name, 'authenticated')]).toEqual([name, sorted(columns)]);
      expect([name, readable(name, 'anon')]).toEqual([name, audience === 'everyone' ? sorted(columns) : []]);
    }
  });

  it('names every function, for the roles that may call it', async () => {
    const rows = await catalog.rows<{ name: string; audience: string }>(`
      select proname as name, case when has_function_privilege('anon', oid, 'execute') then 'everyone'
        when has_function_privilege('authenticated', oid, 'execute') then 'signed_in' else 'none' end as audience
      from pg_proc p where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`);
    const listed = [...list.functions].map(([name, { audience }]) => ({ name, audience }));
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
    expect(listed.sort(byName)).toEqual(rows.sort(byName));
  });

  it('offers visitors what docs/permissions.md offers them, and nothing else', () => {
    const offered = (heading: string) =>
      rowsOf(heading).flatMap(({ what, marks }) => {
        const [, name = ''] = /`(\w+)`/.exec(what) ?? [];
        return marks.visitor === '–' ? [] : [name];
      });
    const everyone = (entries: Iterable<[string, { audience: string }]>) =>
      [...entries].filter(([, { audience }]) => audience === 'everyone').map(([name]) => name);
    expect(sorted(everyone(list.tables))).toEqual(sorted(new Set(offered('Tables and views'))));
    expect(sorted(everyone(list.functions))).toEqual(sorted(new Set(offered('Functions'))));
    for (const name of namesIn('The server’s own functions')) {
      expect([name, list.functions.get(name)?.audience]).toEqual([name, 'none']);
    }
  });

  it('lets nothing be searched or compared by order but where an index carries it', async () => {
    const types = await catalog.rows<{ name: string; type: string; indexed: boolean }>(`
      select c.relname || '.' || a.attname as name, t.typname as type, c.relkind = 'v' or exists (
        select from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null) as indexed
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid where c.relnamespace = 'public'::regnamespace`);
    const typeOf = new Map(types.map(({ name, ...rest }) => [name, rest]));
    // Exceptions: the audit log is read through other indexes, the site is one row, and a coverage has few
    // languages.
    const withoutIndex = ['site.name', 'coverages.language', 'desk_invites.email'];
    for (const [table, { equal, range }] of list.tables) {
      for (const column of equal) {
        const name = `${table}.${column}`;
        const { type, indexed } = typeOf.get(name) ?? {};
        expect([name, ['jsonb', 'tsvector', '_text'].includes(type ?? '')]).toEqual([name, false]);
        if (type === 'text' && !withoutIndex.includes(name)) expect([name, indexed]).toEqual([name, true]);
        if (type === 'text') expect([name, range.has(column)]).toEqual([name, false]);
      }
    }
  });

  it('embeds tables by columns that have an index', async () => {
    const keys = await catalog.rows<{ of: string; to: string; name: string; indexed: boolean }>(`
      select f.conrelid::regclass::text as of, f.confrelid::regclass::text as to, f.conname as name, exists (
        select from pg_index i where i.indrelid = f.conrelid and i.indkey[0] = f.conkey[1]) as indexed
      from pg_constraint f where f.contype = 'f' and f.connamespace = 'public'::regnamespace`);
    const bare = (name: string) => name.replace(/^public\./, '');
    const check = (table: string, embeds: EmbedAccess) => {
      for (const [name, { hints, embeds: deeper }] of embeds) {
        // Reverse embeds use the foreign key of the other table.
        const ways = keys.filter(
          (key) =>
            bare(key.of) === name && bare(key.to) === table && (hints.size === 0 || hints.has(key.name)),
        );
        for (const way of ways) expect([table, way.name, way.indexed]).toEqual([table, way.name, true]);
        check(name, deeper);
      }
    };
    for (const [table, { embeds }] of list.tables) check(table, embeds);
  });
});

describe('a faulty access list', () => {
  const TABLE = '[tables.books]\naudience = "everyone"\ncolumns = ["id", "title"]\n';
  it.each([
    ['is not TOML', '[tables'],
    ['names something unknown', '[views.books]\naudience = "everyone"'],
    ['has an unknown key', `${TABLE}filters = ["id"]`],
    ['has no audience', '[tables.books]\ncolumns = ["id"]'],
    ['has an unknown audience', '[tables.books]\naudience = "anybody"\ncolumns = ["id"]'],
    ['has no columns', '[tables.books]\naudience = "everyone"'],
    ['has columns that are no list', '[tables.books]\naudience = "everyone"\ncolumns = "id"'],
    ['has a column that is no name', '[tables.books]\naudience = "everyone"\ncolumns = ["id", "a b"]'],
    ['filters by a column that is not listed', `${TABLE}equal = ["body"]`],
    ['orders by a column that is not listed', `${TABLE}order = ["body"]`],
    ['lists a column twice', `${TABLE}equal = ["id"]\nrange = ["id"]`],
    ['requires a filter that is not offered', `${TABLE}requires = ["id"]`],
    ['embeds a table that is not listed', `${TABLE}embeds = ["categories"]`],
    ['has rows that are no number', `${TABLE}rows = "many"`],
    ['lists a table for two audiences', `${TABLE}[server]\ntables = ["books"]`],
    ['lists a function twice', '[functions.everyone]\nlight = ["a"]\nheavy = ["a"]'],
    ['has an unknown cost class', '[functions.everyone]\ncheap = ["a"]'],
  ])('that %s is refused', (_what, text) => {
    expect(() => parseAccessList(text)).toThrow(/^rest-access\.toml: .+/);
  });

  it('does not let the backend start where the database has no such name', async () => {
    const refused = startBackend({ accessList: `${TABLE}[server]\nfunctions = ["nothing"]` });
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(
      /rest-access\.toml: the database has no books, books\.id, books\.title, nothing\(\)\./,
    );
  });
});
