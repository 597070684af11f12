import { base64 } from '../_shared/base64.ts';
import type { AdminClient } from './deliver.ts';
import type { AlertPhoto, Delivery } from './delivery.ts';

/** Timeout in milliseconds. A mail without its photo is better than a late mail. */
const TIMEOUT_MS = 5_000;
/** Larger files are left out, so that mails stay small. The smallest rendition has about 40 KB. */
const MAX_BYTES = 150_000;

/** Returns the photo of an alert: that of its newest update. */
export const photoOf = ({ updates: [newest] }: Delivery): AlertPhoto | null => newest?.photo ?? null;

/**
 * Returns a function that reads the file of an alert's photo in base64, once for all mails; undefined if it cannot be
 * read.
 */
export function openPhotos(
  backend: Pick<AdminClient, 'storage'>,
): (delivery: Delivery) => Promise<string | undefined> {
  const files = new Map<string, Promise<string | undefined>>();

  async function read({ id, bucket, width }: AlertPhoto): Promise<string | undefined> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { data } = await backend.storage
      .from(bucket)
      .download(`renditions/${id}/${width}`, undefined, { signal });
    if (!data || data.size > MAX_BYTES) return undefined;
    return base64(new Uint8Array(await data.arrayBuffer()));
  }

  return async (delivery) => {
    const photo = photoOf(delivery);
    if (!photo) return undefined;
    const file = files.get(photo.id) ?? read(photo).catch(() => undefined);
    files.set(photo.id, file);
    return file;
  };
}
