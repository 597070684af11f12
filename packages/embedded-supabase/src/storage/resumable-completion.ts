import { link, rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { logError } from '../gateway/responses.ts';
import type { StorageCaller } from './as-caller.ts';
import { parseMetadata } from './context.ts';
import { asStorageError } from './errors.ts';
import { measure } from './files.ts';
import { storeFile } from './objects.ts';
import type { Part, Parts } from './resumable-parts.ts';
import type { Storage } from './types.ts';

/** Whether this is the first attempt. */
type Time = 'first' | 'again';

/**
 * Turns completed uploads into objects. Deletes an upload that is rejected for good. After another error it waits for
 * the client's next request.
 */
export function completeUploads(
  storage: Storage,
  parts: Parts,
): (part: Part, caller: StorageCaller, time: Time) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();

  async function complete(part: Part, caller: StorageCaller, time: Time): Promise<void> {
    try {
      const isDone = time === 'again' && (await isKept(storage, part, parts.pathOf(part.id)));
      if (!isDone) await keep(storage, part, caller, parts);
    } catch (error) {
      const refused = asStorageError(error);
      if (refused && refused.status < 500) await parts.remove(part.id);
      throw error;
    }
    await parts.finish(part.id);
  }

  return (part, caller, time) => {
    const running =
      underWay.get(part.id) ?? complete(part, caller, time).finally(() => underWay.delete(part.id));
    underWay.set(part.id, running);
    return running;
  };
}

async function keep(storage: Storage, part: Part, caller: StorageCaller, parts: Parts): Promise<void> {
  const { bucket, name, upsert, ownerId, by, metadata = {} } = part;
  // By a second name: if this process is ended before its row is written, the bytes are still here.
  const whole = `${parts.pathOf(part.id)}.whole`;
  await rm(whole, { force: true });
  await link(parts.pathOf(part.id), whole);
  try {
    // Metadata that is not JSON is ignored, as on a hosted project.
    const to = { bucket, name, upsert, ownerId, by, metadata: parseMetadata(metadata.metadata ?? '') };
    const contentType = metadata.contentType ?? 'application/octet-stream';
    await storeFile(storage, caller, { ...to, contentType, cacheControl: cacheControl(metadata) }, whole);
  } finally {
    await rm(whole, { force: true });
  }
}

/** Whether its object was written already, and only the note of that was lost with the process. */
async function isKept(storage: Storage, part: Part, path: string): Promise<boolean> {
  const { eTag } = await measure(path);
  const { rows } = await sql`
    select from storage.objects
    where bucket_id = ${part.bucket} and name = ${part.name} and metadata ->> 'eTag' = ${eTag}
      and owner_id is not distinct from ${part.ownerId ?? null}`.execute(storage.db);
  return rows.length > 0;
}

/** Seconds, as a hosted project reads them. */
function cacheControl({ cacheControl: given }: NonNullable<Part['metadata']>): string {
  return given && /^\d{1,15}$/.test(given) ? `max-age=${given}` : 'no-cache';
}

/** As @tus/server wants one. */
type UploadRejection = { status_code: number; body: string };

/** The refusal that an error stands for: the service's in its words, the protocol's server's in its own. */
export function uploadRejection(error: Error | UploadRejection): UploadRejection {
  // 501 is what the protocol has and is not offered.
  if ('status_code' in error && (error.status_code < 500 || error.status_code === 501)) return error;
  const refused = asStorageError(error);
  if (refused) return { status_code: refused.status, body: refused.message };
  return { status_code: 500, body: `Something went wrong. (${logError(error)})` };
}
