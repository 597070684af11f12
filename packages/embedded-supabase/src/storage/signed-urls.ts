import { Hono } from 'hono';
import { sql } from 'kysely';
import type { RequestVariables } from '../gateway/context.ts';
import {
  readInteger,
  readJson,
  requestCaller,
  requestObjectPath,
  runAsCaller,
  type Storage,
  type StorageCaller,
  type StorageContext,
  serviceCaller,
} from './context.ts';
import { notSupported } from './errors.ts';
import { readObjectNames } from './names.ts';
import { findObject } from './objects.ts';
import { serveObject } from './serve.ts';

/** Allowed lifetimes in seconds: ten years at most. There is no default, because 0 is below the minimum. */
const EXPIRY_LIMITS_S = { min: 1, max: 10 * 365 * 24 * 60 * 60, fallback: 0 };

/** Creates the routes that sign URLs with an expiry time, and that serve signed URLs. */
export function signedUrlRoutes({ context, storage, signatures }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  const signedPath = async (url: string, seconds: number) =>
    `/object/sign/${url}?token=${await signatures.sign({ scope: 'download', url }, seconds)}`;

  routes.get('/sign/*', async (c) => {
    const { bucket, name } = requestObjectPath(c, '/object/sign/');
    const { exp } = await signatures.verify(c.req.query('token') ?? '', 'download', `${bucket}/${name}`);
    // The signer's rights were checked when the URL was signed.
    const object = await findObject(storage, serviceCaller('storage.object.get_signed'), { bucket, name });
    return serveObject(c, storage, object, { embeddable: true, expires: new Date(exp * 1000) });
  });

  routes.post('/sign/:bucket', async (c) => {
    const body = await readJson(c);
    const seconds = readInteger(body, 'expiresIn', EXPIRY_LIMITS_S);
    const caller = await requestCaller(c, context, 'storage.object.sign_many');
    const [bucket, names] = [c.req.param('bucket'), readObjectNames(body.paths)];
    const visibleNames = await findVisible(storage, caller, bucket, names);
    const results = names.map(async (path) =>
      visibleNames.has(path)
        ? { error: null, path, signedURL: await signedPath(`${bucket}/${path}`, seconds) }
        : {
            error: 'Either the object does not exist or you do not have access to it',
            path,
            signedURL: null,
          },
    );
    return c.json(await Promise.all(results));
  });

  routes.post('/sign/:bucket/*', async (c) => {
    const body = await readJson(c);
    if (body.transform !== undefined) throw notSupported('image transformation');
    if (body.versionId !== undefined) throw notSupported('object versioning');
    const seconds = readInteger(body, 'expiresIn', EXPIRY_LIMITS_S);
    const caller = await requestCaller(c, context, 'storage.object.sign');
    const { bucket, name } = requestObjectPath(c, '/object/sign/');
    await findObject(storage, caller, { bucket, name });
    return c.json({ signedURL: await signedPath(`${bucket}/${name}`, seconds) });
  });
  return routes;
}

async function findVisible(
  storage: Storage,
  caller: StorageCaller,
  bucket: string,
  names: string[],
): Promise<Set<string>> {
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<{ name: string }>`select name from storage.objects where bucket_id = ${bucket}
      and name in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`.execute(transaction),
  );
  return new Set(rows.map(({ name }) => name));
}
