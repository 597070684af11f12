import { Hono } from 'hono';
import type { House, Visit } from '../house.ts';
import { listRoutes } from './list-routes.ts';
import { readRoutes } from './read-routes.ts';
import { rearrangeRoutes } from './rearrange-routes.ts';
import { signRoutes } from './sign-routes.ts';
import type { Signatures } from './signatures.ts';
import type { Storage } from './storage.ts';
import { uploadRoutes } from './upload-routes.ts';

/** What the routes of objects are made of. */
export type ObjectHouse = { house: Pick<House, 'tokens'>; storage: Storage; signatures: Signatures };

/** `/object`: all that is asked of objects. */
export function objectRoutes(parts: ObjectHouse): Hono<Visit> {
  const routes = new Hono<Visit>();
  // The last two take whatever begins with a bucket, so they come last.
  for (const some of [signRoutes, listRoutes, rearrangeRoutes, uploadRoutes, readRoutes]) {
    routes.route('/', some(parts));
  }
  return routes;
}
