import { Hono } from 'hono';
import type { Visit } from '../gateway/context.ts';
import { listRoutes } from './list.ts';
import { rearrangeRoutes } from './rearrange.ts';
import { readRoutes } from './serve.ts';
import { signRoutes } from './signed-urls.ts';
import type { ObjectHouse } from './types.ts';
import { uploadRoutes } from './upload-routes.ts';

/** `/object`: all that is asked of objects. */
export function objectRoutes(parts: ObjectHouse): Hono<Visit> {
  const routes = new Hono<Visit>();
  // The last two take whatever begins with a bucket, so they come last.
  for (const some of [signRoutes, listRoutes, rearrangeRoutes, uploadRoutes, readRoutes]) {
    routes.route('/', some(parts));
  }
  return routes;
}
