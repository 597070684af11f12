import { join } from 'node:path';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { sql } from 'kysely';
import { readConfigFile } from '../config.ts';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { checkJsonBody } from '../gateway/json-body.ts';
import type { Keys } from '../keys.ts';
import type { RestApi } from '../rest/lite.ts';
import type { Settings } from '../settings.ts';
import { runHourly } from '../timers.ts';
import { bucketRoutes, purgeRoutes } from './bucket-routes.ts';
import { ensureBuckets, readStorageConfig } from './buckets.ts';
import {
  limitRequests,
  limitUploads,
  openSignatures,
  requireKeyOrSignedUrl,
  type Storage,
  slowDownResponse,
} from './context.ts';
import {
  entityTooLarge,
  invalidRequest,
  notSupported,
  StorageError,
  storageErrorResponse,
} from './errors.ts';
import { openFiles } from './files.ts';
import { listRoutes } from './list.ts';
import { moveCopyDeleteRoutes } from './rearrange.ts';
import { openResumableUploads, resumableRoutes } from './resumable.ts';
import { downloadRoutes, signedUrlRoutes } from './serve.ts';
import { uploadRoutes } from './uploads.ts';

type OpenStorage = Awaited<ReturnType<typeof openStorage>>;

/**
 * Opens the files of a data folder that the caller has locked. Call it after the migrations.
 * @throws StartError naming the invalid key of config.toml
 */
export async function openStorage(
  { data, config }: Pick<Settings, 'data' | 'config'>,
  restApi: RestApi,
  keys: Keys,
) {
  const { fileSizeLimit, buckets } = readStorageConfig(await readConfigFile(config));
  const files = await openFiles(data);
  const storage: Storage = { db: restApi.db, requestContext: restApi.requestContext, files, fileSizeLimit };
  await ensureBuckets(storage, buckets);
  // In a folder of its own, so that backups contain no unfinished uploads.
  const resumable = await openResumableUploads(storage, join(data, 'resumable'));
  const hasRow = async (versions: string[]) => {
    const { rows } = await sql<{ version: string }>`select version from storage.objects
      where version in (select jsonb_array_elements_text(${JSON.stringify(versions)}::jsonb))`.execute(
      restApi.db,
    );
    return new Set(rows.map(({ version }) => version));
  };
  const sweepTimer = runHourly(
    47,
    () => files.deleteOrphans(hasRow),
    'The search for files without a row failed.',
  );
  return {
    storage,
    signatures: openSignatures(keys),
    resumable,
    async stop() {
      await Promise.all([resumable.stop(), sweepTimer.stop()]);
    },
  };
}

/** Maximum bytes of a JSON request: a thousand names of maximum length. */
const MAX_JSON_BYTES = 2 * 1024 * 1024;

const crossOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'],
  exposeHeaders: [
    'accept-ranges',
    'content-disposition',
    'content-length',
    'content-range',
    'etag',
    'last-modified',
    'retry-after',
  ],
  maxAge: 86_400,
});

/** Creates the routes of the Storage API under `/storage/v1`. */
export function storageRoutes(
  context: GatewayContext,
  { storage, signatures, resumable }: OpenStorage,
): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  routes.onError((error) => storageErrorResponse(error));
  routes.route('/upload/resumable', resumableRoutes(resumable, signatures, context));
  routes.use(crossOrigin, requireKeyOrSignedUrl(context), limitRequests(context));
  const json = checkJsonBody({
    maxSize: () => MAX_JSON_BYTES,
    tooLarge: () => storageErrorResponse(entityTooLarge()),
    tooDeep: () => storageErrorResponse(invalidRequest('The JSON is nested too deeply.')),
    tooMany: () => slowDownResponse('Too many requests are being sent. Let one finish first.'),
  });
  for (const path of ['/bucket/*', '/cdn/*']) routes.use(path, ...json);
  const jsonPaths = ['list/:bucket', 'list-v2/:bucket', 'sign/*', 'upload/sign/*', 'move', 'copy'];
  for (const path of jsonPaths) routes.post(`/object/${path}`, ...json);
  routes.delete('/object/*', ...json);

  const uploadLimit = limitUploads();
  routes.put('/object/*', uploadLimit);
  routes.post('/object/:bucket/*', uploadLimit);

  routes.route('/bucket', bucketRoutes(context, storage));
  routes.route('/cdn', purgeRoutes(context, storage));
  // The last two match any path that begins with a bucket, so the order matters.
  for (const objectRoutes of [
    signedUrlRoutes,
    listRoutes,
    moveCopyDeleteRoutes,
    uploadRoutes,
    downloadRoutes,
  ]) {
    routes.route('/object', objectRoutes({ context, storage, signatures }));
  }
  for (const [path, feature] of NOT_OFFERED) {
    routes.all(path, () => {
      throw notSupported(feature);
    });
  }
  routes.all('*', (c) => {
    const message = `Route ${c.req.method}:${c.req.path} not found`;
    throw new StorageError(404, 'NotFound', message, 'Not Found', 404);
  });
  return routes;
}

/** Routes of Storage that the backend does not have, and their features. */
const NOT_OFFERED = [
  ['/render/image/*', 'image transformation'],
  ['/vector/*', 'vector buckets'],
  ['/iceberg/*', 'analytics buckets'],
  ['/s3/*', 'S3 protocol'],
] as const;
