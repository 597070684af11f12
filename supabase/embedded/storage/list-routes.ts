import { Hono } from 'hono';
import type { Visit } from '../house.ts';
import { isSort, listFolder, listPage } from './list.ts';
import { refuseVersions } from './object-names.ts';
import type { ObjectHouse } from './object-routes.ts';
import { invalid } from './storage-refused.ts';
import { callerOf, readJson, readText, readWhole } from './visit.ts';

const MOST_ENTRIES = { list: 1500, page: 1000 };

/** What there is in a bucket, to whom policies show it. */
export function listRoutes({ house, storage }: ObjectHouse): Hono<Visit> {
  const routes = new Hono<Visit>();

  routes.post('/list/:bucket', async (c) => {
    const body = await readJson(c);
    const { column, descending } = readSort(body);
    const caller = await callerOf(c, house, 'storage.object.list');
    const entries = await listFolder(storage, caller, c.req.param('bucket'), {
      prefix: readText({ prefix: '', ...body }, 'prefix'),
      search: readText({ search: '', ...body }, 'search'),
      limit: readWhole(body, 'limit', { least: 1, most: MOST_ENTRIES.list, otherwise: 100 }),
      offset: readWhole(body, 'offset', { least: 0, most: 2 ** 31 - 1, otherwise: 0 }),
      sort: column,
      descending,
    });
    return c.json(entries);
  });

  routes.post('/list-v2/:bucket', async (c) => {
    const body = await readJson(c);
    const { column, descending } = readSort(body);
    if (column === 'last_accessed_at') throw noSuchColumn();
    refuseVersions(body.noncurrentVersions === undefined && body.deleteMarkers === undefined);
    const caller = await callerOf(c, house, 'storage.object.list_v2');
    const page = await listPage(storage, caller, c.req.param('bucket'), {
      prefix: readText({ prefix: '', ...body }, 'prefix'),
      folders: body.with_delimiter === true,
      limit: readWhole(body, 'limit', { least: 1, most: MOST_ENTRIES.page, otherwise: MOST_ENTRIES.page }),
      cursor: body.cursor === undefined ? undefined : readText(body, 'cursor'),
      sort: column,
      descending,
    });
    return c.json(page);
  });
  return routes;
}

const noSuchColumn = () => invalid('body/sortBy/column must be another one');

function readSort({ sortBy }: Record<string, unknown>) {
  const { column = 'name', order = 'asc' } = (sortBy ?? {}) as Record<string, unknown>;
  if (typeof column !== 'string' || !isSort(column)) throw noSuchColumn();
  return { column, descending: order === 'desc' };
}
