import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { bucketRoutes, purgeRoutes } from './bucket-routes.ts';
import { admit } from './context.ts';
import { entityTooLarge, notSupported, StorageError, storageErrorResponse } from './errors.ts';
import { objectRoutes } from './object-routes.ts';
import type { OpenStorage } from './open.ts';
import { limitRequests, limitUploads } from './rate-limits.ts';
import { resumableRoutes } from './resumable-routes.ts';

/** Maximum bytes of a JSON request: a thousand names of maximum length. */
const LARGEST_QUESTION = 2 * 1024 * 1024;

/** What the clients read of an answer. */
const EXPOSED = [
  'accept-ranges',
  'content-disposition',
  'content-length',
  'content-range',
  'etag',
  'last-modified',
  'retry-after',
];

const crossOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'],
  exposeHeaders: EXPOSED,
  maxAge: 86_400,
});

/** `/storage/v1`: the files, and who may do what with them. */
export function storageRoutes(
  context: GatewayContext,
  { storage, signatures, resumable }: OpenStorage,
): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  routes.onError((error) => storageErrorResponse(error));
  routes.route('/upload/resumable', resumableRoutes(resumable, signatures, context));
  routes.use(crossOrigin, admit(context), limitRequests(context));
  const small = bodyLimit({
    maxSize: LARGEST_QUESTION,
    onError: () => storageErrorResponse(entityTooLarge()),
  });
  for (const path of ['/bucket/*', '/cdn/*', '/object/list/*', '/object/list-v2/*', '/object/sign/*']) {
    routes.use(path, small);
  }
  for (const path of ['/object/move', '/object/copy', '/object/upload/sign/*']) routes.post(path, small);
  routes.delete('/object/*', small);

  const bounded = limitUploads();
  routes.put('/object/*', bounded);
  routes.post('/object/:bucket/*', bounded);

  routes.route('/bucket', bucketRoutes(context, storage));
  routes.route('/cdn', purgeRoutes(context, storage));
  routes.route('/object', objectRoutes({ context: context, storage, signatures }));
  routes.all('/render/image/*', () => {
    throw notSupported('image transformation');
  });
  routes.all('*', (c) => {
    throw new StorageError(404, 'NotFound', `Route ${c.req.method}:${c.req.path} not found`, 'Not Found');
  });
  return routes;
}
