import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import type { House, Visit } from '../gateway/context.ts';
import { bucketRoutes, purgeRoutes } from './bucket-routes.ts';
import { admit } from './context.ts';
import { notOffered, refusedAnswer, StorageRefused, tooLarge } from './errors.ts';
import { objectRoutes } from './object-routes.ts';
import type { OpenStorage } from './open.ts';
import { boundUploads, paceQuestions } from './rate-limits.ts';
import { resumableRoutes } from './resumable-routes.ts';

/** Most bytes of what is asked in JSON: a thousand names, each as long as may be. */
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
export function storageRoutes(house: House, { storage, signatures, resumable }: OpenStorage): Hono<Visit> {
  const routes = new Hono<Visit>();
  routes.onError((error) => refusedAnswer(error));
  routes.route('/upload/resumable', resumableRoutes(resumable, signatures, house));
  routes.use(crossOrigin, admit(house), paceQuestions(house));
  const small = bodyLimit({ maxSize: LARGEST_QUESTION, onError: () => refusedAnswer(tooLarge()) });
  for (const path of ['/bucket/*', '/cdn/*', '/object/list/*', '/object/list-v2/*', '/object/sign/*']) {
    routes.use(path, small);
  }
  for (const path of ['/object/move', '/object/copy', '/object/upload/sign/*']) routes.post(path, small);
  routes.delete('/object/*', small);

  const bounded = boundUploads();
  routes.put('/object/*', bounded);
  routes.post('/object/:bucket/*', bounded);

  routes.route('/bucket', bucketRoutes(house, storage));
  routes.route('/cdn', purgeRoutes(house, storage));
  routes.route('/object', objectRoutes({ house, storage, signatures }));
  routes.all('/render/image/*', () => {
    throw notOffered('image transformation');
  });
  routes.all('*', (c) => {
    throw new StorageRefused(404, 'NotFound', `Route ${c.req.method}:${c.req.path} not found`, 'Not Found');
  });
  return routes;
}
