import { Hono } from 'hono';
import { cors } from 'hono/cors';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { checkJsonBody } from '../gateway/json-body.ts';
import { bucketRoutes, purgeRoutes } from './bucket-routes.ts';
import { admit } from './context.ts';
import {
  entityTooLarge,
  invalidRequest,
  notSupported,
  StorageError,
  storageErrorResponse,
} from './errors.ts';
import { listRoutes } from './list.ts';
import type { OpenStorage } from './open.ts';
import { limitRequests, limitUploads, slowDown } from './rate-limits.ts';
import { rearrangeRoutes } from './rearrange.ts';
import { resumableRoutes } from './resumable-routes.ts';
import { readRoutes } from './serve.ts';
import { signRoutes } from './signed-urls.ts';
import type { StorageContext } from './types.ts';
import { uploadRoutes } from './upload-routes.ts';

/** `/object`: routes of objects. */
function objectRoutes(parts: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  // The last two take whatever begins with a bucket, so they come last.
  for (const some of [signRoutes, listRoutes, rearrangeRoutes, uploadRoutes, readRoutes]) {
    routes.route('/', some(parts));
  }
  return routes;
}

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
  const json = checkJsonBody({
    maxSize: () => LARGEST_QUESTION,
    tooLarge: () => storageErrorResponse(entityTooLarge()),
    tooDeep: () => storageErrorResponse(invalidRequest('The JSON is nested too deeply.')),
    tooMany: () => slowDown('Too many requests are being sent. Let one finish first.'),
  });
  for (const path of ['/bucket/*', '/cdn/*']) routes.use(path, ...json);
  const posts = ['list/:bucket', 'list-v2/:bucket', 'sign/*', 'upload/sign/*', 'move', 'copy'];
  for (const path of posts) routes.post(`/object/${path}`, ...json);
  routes.delete('/object/*', ...json);

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
