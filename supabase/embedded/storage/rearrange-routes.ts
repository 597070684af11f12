import { Hono } from 'hono';
import type { Visit } from '../house.ts';
import { checkObjectName } from './names.ts';
import { readNames, refuseVersions } from './object-names.ts';
import type { ObjectHouse } from './object-routes.ts';
import { type CopySaid, copyObject, moveObject, removeObjects } from './rearrange.ts';
import { fitHeader } from './receive.ts';
import { noObject } from './storage-refused.ts';
import { callerOf, readJson, readText, targetOf, wantsUpsert } from './visit.ts';

/** Objects get another name or bucket, a second one, or an end. */
export function rearrangeRoutes({ house, storage }: ObjectHouse): Hono<Visit> {
  const routes = new Hono<Visit>();

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
    const { id, bucket, name, metadata } = await copyObject(storage, caller, places.from, to, said);
    return c.json({ Id: id, Key: `${bucket}/${name}`, name, metadata });
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
  return routes;
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
