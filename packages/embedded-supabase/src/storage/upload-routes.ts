import { type Context, Hono } from 'hono';
import type { RequestVariables } from '../gateway/context.ts';
import { SERVICE_CALLER, type StorageCaller } from './as-caller.ts';
import { callerOf, targetOf, wantsUpsert } from './context.ts';
import { entityTooLarge, invalidRequest } from './errors.ts';
import { type Destination, mayInsert, type StoredFile, storeFile } from './objects.ts';
import { receive } from './receive.ts';
import type { Storage, StorageContext } from './types.ts';

/** As long as a hosted project's. */
const SIGNED_UPLOAD_S = 2 * 60 * 60;

/** Uploads in one request, with own rights or a signed URL. */
export function uploadRoutes({ context, storage, signatures }: StorageContext): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();

  routes.post('/upload/sign/*', async (c) => {
    const caller = await callerOf(c, context, 'storage.object.sign_upload_url');
    const target = targetOf(c, '/object/upload/sign/');
    const [ownerId, upsert] = [caller.claims.sub, wantsUpsert(c)];
    await mayInsert(storage, caller, { ...target, upsert, ownerId });
    const url = `${target.bucket}/${target.name}`;
    const token = await signatures.sign({ scope: 'upload', url, owner: ownerId, upsert }, SIGNED_UPLOAD_S);
    return c.json({ url: `/object/upload/sign/${url}?token=${token}`, token });
  });

  routes.put('/upload/sign/*', async (c) => {
    const { bucket, name } = targetOf(c, '/object/upload/sign/');
    const permit = await signatures.verify(c.req.query('token') ?? '', 'upload', `${bucket}/${name}`);
    // The rights of the signer were checked.
    const to = {
      bucket,
      name,
      upsert: permit.upsert ?? false,
      ownerId: permit.owner,
      by: 'signature' as const,
    };
    const kept = await upload(c, storage, SERVICE_CALLER('storage.object.upload_signed'), to);
    return c.json({ Key: `${kept.bucket}/${kept.name}` });
  });

  const answer = (method: 'POST' | 'PUT') => async (c: Context<RequestVariables>) => {
    const operation = method === 'PUT' ? 'storage.object.upload_update' : 'storage.object.upload';
    const caller = await callerOf(c, context, operation);
    const upsert = method === 'PUT' || wantsUpsert(c);
    const to = { ...targetOf(c, '/object/'), upsert, ownerId: caller.claims.sub };
    const { id, bucket, name } = await upload(c, storage, caller, to);
    return c.json({ Id: id, Key: `${bucket}/${name}` });
  };
  return routes.post('/:bucket/*', answer('POST')).put('/:bucket/*', answer('PUT'));
}

async function upload(
  c: Context<RequestVariables>,
  storage: Storage,
  caller: StorageCaller,
  to: Destination,
): Promise<StoredFile> {
  const size = c.req.header('content-length');
  const form = c.req.header('content-type')?.startsWith('multipart/form-data');
  // A form is longer than its file: of that the bytes alone tell.
  const declared = form
    ? {}
    : { contentType: c.req.header('content-type'), size: size === undefined ? undefined : Number(size) };
  const { sizeLimit } = await mayInsert(storage, caller, to, declared);
  if (form && Number(size ?? 0) > sizeLimit + FORM_ROOM) throw entityTooLarge();
  if (c.req.header('content-encoding')) throw invalidRequest('Send the file as it is.');
  // A length that is not declared may be any that the bucket takes.
  const most = Math.min(Number(size ?? sizeLimit), sizeLimit);
  const part = await storage.files.newPart(most, to.by ?? 'person');
  try {
    const { metadata, ...said } = await receive(c.req.raw, part.path, sizeLimit);
    return await storeFile(storage, caller, { ...to, ...said, metadata }, part.path);
  } finally {
    await part.discard();
  }
}

/** Maximum bytes of the fields of a form besides its file. */
const FORM_ROOM = 1024 * 1024;
