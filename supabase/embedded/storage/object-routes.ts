import { type Context, Hono } from 'hono';
import type { House, Visit } from '../house.ts';
import { service } from './as-caller.ts';
import { bucketRules } from './buckets.ts';
import { findObject, type StoredObject } from './find.ts';
import { isSort, listFolder, listPage } from './list.ts';
import { checkObjectName } from './names.ts';
import { readNames, refuseVersions } from './object-names.ts';
import { type CopySaid, copyObject, moveObject, removeObjects } from './rearrange.ts';
import { fitHeader } from './receive.ts';
import { serve } from './serve.ts';
import { signRoutes } from './sign-routes.ts';
import type { Signatures } from './signatures.ts';
import type { Storage } from './storage.ts';
import { invalid, noBucket, noObject } from './storage-refused.ts';
import { uploadRoutes, wantsUpsert } from './upload-routes.ts';
import { callerOf, readJson, readText, readWhole, targetOf } from './visit.ts';

type Parts = { house: Pick<House, 'tokens'>; storage: Storage; signatures: Signatures };

/** `/object`: all that is asked of objects. */
export function objectRoutes({ house, storage, signatures }: Parts): Hono<Visit> {
  const routes = new Hono<Visit>();

  const publicObject = async (c: Context<Visit>, route: string, operation: string) => {
    const target = targetOf(c, route);
    // Whether there is a bucket that is not public is nobody's business.
    if (!(await bucketRules(storage, target.bucket)).public) throw noBucket();
    return findObject(storage, service(operation), target);
  };
  const ownObject = async (c: Context<Visit>, route: string, operation: string) => {
    const target = targetOf(c, route);
    const caller = await callerOf(c, house, operation);
    return findObject(storage, caller, target);
  };

  routes.get('/public/*', async (c) =>
    serve(c, storage, await publicObject(c, '/object/public/', 'storage.object.get_public'), {
      embeddable: true,
    }),
  );
  routes.get('/info/public/*', async (c) =>
    c.json(infoOf(await publicObject(c, '/object/info/public/', 'storage.object.info_public'))),
  );
  for (const route of ['/info/authenticated/', '/info/'] as const) {
    routes.get(`${route}*`, async (c) =>
      c.json(infoOf(await ownObject(c, `/object${route}`, 'storage.object.info_authenticated'))),
    );
  }
  routes.route('/', signRoutes({ house, storage, signatures }));

  routes.post('/list/:bucket', async (c) => {
    const body = await readJson(c);
    const { column, descending } = readSort(body);
    const caller = await callerOf(c, house, 'storage.object.list');
    const entries = await listFolder(storage, caller, c.req.param('bucket'), {
      prefix: readText({ prefix: '', ...body }, 'prefix'),
      search: readText({ search: '', ...body }, 'search'),
      limit: readWhole(body, 'limit', { least: 1, most: 1500, otherwise: 100 }),
      offset: readWhole(body, 'offset', { least: 0, most: 2 ** 31 - 1, otherwise: 0 }),
      sort: column,
      descending,
    });
    return c.json(entries);
  });
  routes.post('/list-v2/:bucket', async (c) => {
    const body = await readJson(c);
    const { column, descending } = readSort(body);
    if (column === 'last_accessed_at') throw invalid('body/sortBy/column must be another one');
    refuseVersions(body.noncurrentVersions === undefined && body.deleteMarkers === undefined);
    const caller = await callerOf(c, house, 'storage.object.list_v2');
    const page = await listPage(storage, caller, c.req.param('bucket'), {
      prefix: readText({ prefix: '', ...body }, 'prefix'),
      folders: body.with_delimiter === true,
      limit: readWhole(body, 'limit', { least: 1, most: 1000, otherwise: 1000 }),
      cursor: body.cursor === undefined ? undefined : readText(body, 'cursor'),
      sort: column,
      descending,
    });
    return c.json(page);
  });

  routes.post('/move', async (c) => {
    const { from, to } = readPlaces(await readJson(c));
    const { id } = await moveObject(storage, await callerOf(c, house, 'storage.object.move'), from, to);
    return c.json({ message: 'Successfully moved', Id: id, Key: to.name });
  });
  routes.post('/copy', async (c) => {
    const body = await readJson(c);
    const places = readPlaces(body);
    const caller = await callerOf(c, house, 'storage.object.copy');
    const to = { ...places.to, upsert: wantsUpsert(c), ownerId: caller.claims.sub };
    const said = body.copyMetadata === false ? readSaid(body.metadata) : undefined;
    const kept = await copyObject(storage, caller, places.from, to, said);
    return c.json({
      Id: kept.id,
      Key: `${kept.bucket}/${kept.name}`,
      name: kept.name,
      metadata: kept.metadata,
    });
  });

  routes.delete('/:bucket', async (c) => {
    const caller = await callerOf(c, house, 'storage.object.delete_many');
    const { prefixes } = await readJson(c);
    return c.json(await removeObjects(storage, caller, c.req.param('bucket'), readNames(prefixes)));
  });
  routes.delete('/:bucket/*', async (c) => {
    const caller = await callerOf(c, house, 'storage.object.delete');
    const { bucket, name } = targetOf(c, '/object/');
    checkObjectName(name);
    const removed = await removeObjects(storage, caller, bucket, [name]);
    if (removed.length === 0) throw noObject();
    return c.json({ message: 'Successfully deleted' });
  });

  routes.route('/', uploadRoutes(house, storage, signatures));
  for (const route of ['/authenticated/', '/'] as const) {
    routes.get(`${route}:bucket/*`, async (c) => {
      refuseVersions(c.req.query('versionId') === undefined);
      const object = await ownObject(c, `/object${route}`, 'storage.object.get_authenticated');
      return serve(c, storage, object, { embeddable: false });
    });
  }
  return routes;
}

function infoOf({
  id,
  name,
  version,
  bucket_id,
  metadata,
  user_metadata,
  created_at,
  updated_at,
}: StoredObject) {
  return {
    id,
    name,
    version,
    bucket_id,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: user_metadata,
    last_modified: updated_at,
    created_at,
    updated_at,
  };
}

function readSort({ sortBy }: Record<string, unknown>) {
  const { column = 'name', order = 'asc' } = (sortBy ?? {}) as Record<string, unknown>;
  if (typeof column !== 'string' || !isSort(column)) throw invalid('body/sortBy/column must be another one');
  return { column, descending: order === 'desc' };
}

function readPlaces(body: Record<string, unknown>) {
  refuseVersions(body.sourceVersionId === undefined);
  const bucket = readText(body, 'bucketId');
  const destination = body.destinationBucket === undefined ? bucket : readText(body, 'destinationBucket');
  return {
    from: { bucket, name: readText(body, 'sourceKey') },
    to: { bucket: destination, name: readText(body, 'destinationKey') },
  };
}

function readSaid(value: unknown): CopySaid {
  const { mimetype, cacheControl } = (value ?? {}) as Record<string, unknown>;
  return {
    mimetype: typeof mimetype === 'string' ? mimetype : '',
    cacheControl: typeof cacheControl === 'string' ? fitHeader(cacheControl) : 'no-cache',
  };
}
