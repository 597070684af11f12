import { Hono } from 'hono';
import { sql } from 'kysely';
import type { RequestVariables } from '../gateway/context.ts';
import {
  asCaller,
  callerOf,
  readJson,
  readWhole,
  type Storage,
  type StorageCaller,
  type StorageContext,
  serviceCaller,
  targetOf,
} from './context.ts';
import { notSupported } from './errors.ts';
import { readNames } from './names.ts';
import { findObject } from './objects.ts';
import { serveObject } from './serve.ts';

/** Allowed lifetimes in seconds: ten years at most. There is no default, because 0 is below the minimum. */
const EXPIRY_LIMITS_S = { least: 1, most: 10 * 365 * 24 * 60 * 60, otherwise: 0 };

/** Creates the routes that sign URLs with an expiry time, and that serve signed URLs. */
export function signRoutes({ context, storage, signatures }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  const signedPath = async (url: string, seconds: number) =>
    `/object/sign/${url}?token=${await signatures.sign({ scope: 'download', url }, seconds)}`;

  routes.get('/sign/*', async (c) => {
    const { bucket, name } = targetOf(c, '/object/sign/');
    const { exp } = await signatures.verify(c.req.query('token') ?? '', 'download', `${bucket}/${name}`);
    // The signer's rights were checked when the URL was signed.
    const object = await findObject(storage, serviceCaller('storage.object.get_signed'), { bucket, name });
    return serveObject(c, storage, object, { embeddable: true, expires: new Date(exp * 1000) });
  });

  routes.post('/sign/:bucket', async (c) => {
    const body = await readJson(c);
    const seconds = readWhole(body, 'expiresIn', EXPIRY_LIMITS_S);
    const caller = await callerOf(c, context, 'storage.object.sign_many');
    const [bucket, names] = [c.req.param('bucket'), readNames(body.paths)];
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
    const seconds = readWhole(body, 'expiresIn', EXPIRY_LIMITS_S);
    const caller = await callerOf(c, context, 'storage.object.sign');
    const { bucket, name } = targetOf(c, '/object/sign/');
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
  const { rows } = await asCaller(storage, caller, (transaction) =>
    sql<{ name: string }>`select name from storage.objects where bucket_id = ${bucket}
      and name in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`.execute(transaction),
  );
  return new Set(rows.map(({ name }) => name));
}
