import { Hono } from 'hono';
import { sql } from 'kysely';
import type { RequestVariables } from '../gateway/context.ts';
import {
  readInteger,
  readJson,
  readString,
  requestCaller,
  runAsCaller,
  type Storage,
  type StorageCaller,
  type StorageContext,
  withUtcTimes,
} from './context.ts';
import { invalidRequest } from './errors.ts';
import { requireNoVersion } from './names.ts';
import type { StoredObject } from './objects.ts';

const SORTS = {
  name: sql`lower(entry) collate "C"`,
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
  last_accessed_at: sql`last_accessed_at`,
};

type ListSort = keyof typeof SORTS;

type ListOptions = {
  /** A folder, with or without a slash at the end; empty for the root of the bucket. Case is ignored. */
  prefix: string;
  /** Beginning of the names in the folder. Case is ignored. */
  search: string;
  limit: number;
  offset: number;
  sort: ListSort;
  descending: boolean;
};

/** A file or folder in a folder. For a folder, every property except `name` is null. */
type ListEntry = { name: string } & {
  [key in 'id' | 'updated_at' | 'created_at' | 'last_accessed_at' | 'metadata']: StoredObject[key] | null;
};

const isSort = (column: string): column is ListSort => Object.hasOwn(SORTS, column);

/** Returns the files and folders in one folder that the caller may see. */
async function listFolder(
  storage: Storage,
  caller: StorageCaller,
  bucket: string,
  { prefix, search, limit, offset, sort, descending }: ListOptions,
): Promise<ListEntry[]> {
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  // A search may name subfolders. Then the names in the result begin with those subfolders.
  const inner = search.slice(0, search.lastIndexOf('/') + 1);
  const fullPrefix = folder + inner;
  const direction = descending ? sql`desc` : sql`asc`;
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<ListEntry>`
      with matches as (
        select o.*, substr(o.name, ${fullPrefix.length + 1}::int) as rest from storage.objects o
        where o.bucket_id = ${bucket} and starts_with(lower(o.name), ${(folder + search).toLowerCase()})
      ), entries as (
        select split_part(rest, '/', 1) as entry, null::uuid as id, null::timestamptz as updated_at,
          null::timestamptz as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
        from matches where strpos(rest, '/') > 0 group by 1
        union all
        select rest, id, updated_at, created_at, last_accessed_at, metadata from matches where strpos(rest, '/') = 0
      )
      select ${inner} || entry as name, id, updated_at, created_at, last_accessed_at, metadata from entries
      order by ${sort === 'name' ? sql`` : sql`id is not null,`} ${SORTS[sort]} ${direction}, entry collate "C" ${direction}
      limit ${limit}::int offset ${offset}::int`.execute(transaction),
  );
  return rows.map(withUtcTimes);
}

type PageOptions = {
  prefix: string;
  /** True if the result lists folders instead of the objects inside them. */
  folders: boolean;
  limit: number;
  cursor: string | undefined;
  sort: Exclude<ListSort, 'last_accessed_at'>;
  descending: boolean;
};

type Page = {
  hasNext: boolean;
  nextCursor?: string;
  folders: { name: string; key: string }[];
  objects: (ListEntry & { key: string; version: string | null })[];
};

/** Returns a page of all objects under a prefix. The cursor stays valid when objects are added. */
async function listObjectsPage(
  storage: Storage,
  caller: StorageCaller,
  bucket: string,
  { prefix, folders, limit, cursor, sort, descending }: PageOptions,
): Promise<Page> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const time = sort === 'updated_at' ? sql`updated_at` : sql`created_at`;
  // Folders have no times, so their key is empty. In ascending order of time they come first.
  const key =
    sort === 'name' ? sql`''` : sql`coalesce(to_char(${time} at time zone 'utc', 'YYYYMMDDHH24MISSUS'), '')`;
  const direction = descending ? sql`desc` : sql`asc`;
  const comparison = descending ? sql`<` : sql`>`;
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<ListEntry & { version: string | null; sortKey: string }>`
      with matches as (
        select o.*, strpos(substr(o.name, ${prefix.length + 1}::int), '/') as slash from storage.objects o
        where o.bucket_id = ${bucket} and starts_with(o.name, ${prefix})
      ), entries as (
        select left(name, ${prefix.length}::int + slash) as name, null::uuid as id, null::text as version,
          null::timestamptz as updated_at, null::timestamptz as created_at, null::timestamptz as last_accessed_at,
          null::jsonb as metadata
        from matches where ${folders} and slash > 0 group by 1
        union all
        select name, id, version, updated_at, created_at, last_accessed_at, metadata
        from matches where not (${folders} and slash > 0)
      ), keyed as (select *, ${key} collate "C" as "sortKey" from entries)
      select * from keyed
      where ${after ? sql`("sortKey", name collate "C") ${comparison} (${after[0]}, ${after[1]})` : sql`true`}
      order by "sortKey" ${direction}, name collate "C" ${direction}
      limit ${limit + 1}::int`.execute(transaction),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasNext = rows.length > limit && last !== undefined;
  return {
    hasNext,
    ...(hasNext && { nextCursor: writeCursor([last.sortKey, last.name]) }),
    // As on hosted, the name of a folder ends with a slash and its key does not.
    folders: page.filter(({ id }) => id === null).map(({ name }) => ({ name, key: name.replace(/\/$/, '') })),
    objects: page
      .filter(({ id }) => id !== null)
      .map(({ sortKey: _, ...object }) => ({ ...withUtcTimes(object), key: object.name })),
  };
}

const writeCursor = (position: [string, string]) =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** Parses a cursor. @returns undefined for an invalid cursor: the list then starts at the beginning */
function readCursor(cursor: string): [string, string] | undefined {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(position) || position.length !== 2) return undefined;
    const [key, name] = position;
    return typeof key === 'string' && typeof name === 'string' ? [key, name] : undefined;
  } catch {
    return undefined;
  }
}

const MAX_ENTRIES = { list: 1500, page: 1000 };

/** Creates the routes that list the objects of a bucket. Policies decide which objects a caller may see. */
export function listRoutes({ context, storage }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();

  routes.post('/list/:bucket', async (c) => {
    const body = await readJson(c);
    const { column, descending } = readSort(body);
    const caller = await requestCaller(c, context, 'storage.object.list');
    const entries = await listFolder(storage, caller, c.req.param('bucket'), {
      prefix: readString(body, 'prefix'),
      search: readString({ search: '', ...body }, 'search'),
      limit: readInteger(body, 'limit', { min: 1, max: MAX_ENTRIES.list, fallback: 100 }),
      offset: readInteger(body, 'offset', { min: 0, max: 2 ** 31 - 1, fallback: 0 }),
      sort: column,
      descending,
    });
    return c.json(entries);
  });

  routes.post('/list-v2/:bucket', async (c) => {
    const body = await readJson(c);
    const { column, descending } = readSort(body);
    if (column === 'last_accessed_at') throw notAllowed('column');
    requireNoVersion(body.noncurrentVersions === undefined && body.deleteMarkers === undefined);
    const caller = await requestCaller(c, context, 'storage.object.list_v2');
    const page = await listObjectsPage(storage, caller, c.req.param('bucket'), {
      prefix: readString({ prefix: '', ...body }, 'prefix'),
      folders: body.with_delimiter === true,
      limit: readInteger(body, 'limit', { min: 1, max: MAX_ENTRIES.page, fallback: MAX_ENTRIES.page }),
      cursor: body.cursor === undefined ? undefined : readString(body, 'cursor'),
      sort: column,
      descending,
    });
    return c.json(page);
  });
  return routes;
}

const notAllowed = (key: string) =>
  invalidRequest(`body/sortBy/${key} must be equal to one of the allowed values`);

function readSort({ sortBy }: Record<string, unknown>) {
  const { column = 'name', order = 'asc' } = (sortBy ?? {}) as Record<string, unknown>;
  if (typeof column !== 'string' || !isSort(column)) throw notAllowed('column');
  if (order !== 'asc' && order !== 'desc') throw notAllowed('order');
  return { column, descending: order === 'desc' };
}
