import { Hono } from 'hono';
import type { RequestVariables } from '../gateway/context.ts';
import { listRoutes } from './list.ts';
import { rearrangeRoutes } from './rearrange.ts';
import { readRoutes } from './serve.ts';
import { signRoutes } from './signed-urls.ts';
import type { StorageContext } from './types.ts';
import { uploadRoutes } from './upload-routes.ts';

/** `/object`: routes of objects. */
export function objectRoutes(parts: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  // The last two take whatever begins with a bucket, so they come last.
  for (const some of [signRoutes, listRoutes, rearrangeRoutes, uploadRoutes, readRoutes]) {
    routes.route('/', some(parts));
  }
  return routes;
}
