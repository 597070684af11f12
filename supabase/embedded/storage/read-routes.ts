import { type Context, Hono } from 'hono';
import type { Visit } from '../house.ts';
import { service } from './as-caller.ts';
import { bucketRules } from './buckets.ts';
import { findObject, type StoredObject } from './find.ts';
import { refuseVersions } from './object-names.ts';
import type { ObjectHouse } from './object-routes.ts';
import { serve } from './serve.ts';
import { noBucket } from './storage-refused.ts';
import { callerOf, targetOf } from './visit.ts';

/** Objects and what is known of them: of public buckets to everybody, of others to whom policies show them. */
export function readRoutes({ house, storage }: ObjectHouse): Hono<Visit> {
  const routes = new Hono<Visit>();

  const publicObject = async (c: Context<Visit>, route: string, operation: string) => {
    const target = targetOf(c, route);
    // Whether there is a bucket that is not public is nobody's business.
    if (!(await bucketRules(storage, target.bucket)).public) throw noBucket();
    return findObject(storage, service(operation), target);
  };
  routes.get('/public/*', async (c) => {
    const object = await publicObject(c, '/object/public/', 'storage.object.get_public');
    return serve(c, storage, object, { embeddable: true });
  });
  routes.get('/info/public/*', async (c) =>
    c.json(infoOf(await publicObject(c, '/object/info/public/', 'storage.object.info_public'))),
  );

  const ownObject = async (c: Context<Visit>, route: string, operation: string) => {
    refuseVersions(c.req.query('versionId') === undefined);
    const target = targetOf(c, route);
    return findObject(storage, await callerOf(c, house, operation), target);
  };
  for (const route of ['/info/authenticated/', '/info/'] as const) {
    routes.get(`${route}*`, async (c) =>
      c.json(infoOf(await ownObject(c, `/object${route}`, 'storage.object.info_authenticated'))),
    );
  }
  for (const route of ['/authenticated/', '/'] as const) {
    routes.get(`${route}:bucket/*`, async (c) => {
      const object = await ownObject(c, `/object${route}`, 'storage.object.get_authenticated');
      return serve(c, storage, object, { embeddable: false });
    });
  }
  return routes;
}

function infoOf(object: StoredObject) {
  const { id, name, version, bucket_id, metadata, user_metadata, created_at, updated_at } = object;
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
