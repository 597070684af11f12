import { type PhotoBucket, readRendition } from '../data/photo-objects.server.ts';
import { readerClient } from '../data/reader-client.server.ts';
import { type BackendClient, dataOf } from '../data/result.ts';
import { readOwnTips } from '../data/tips.ts';
import { isUuid } from '../domain/paths.ts';
import { PHOTO_WIDTHS, RECEIPT_PHOTO_WIDTH, type Rendition, renditionFor } from '../domain/photos.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused, refusalOrThrow } from '../i18n/refusals.ts';
import { declareCache, NO_STORE, tags } from './cache-policy.ts';
import { matchesEntityTag } from './request.ts';
import { plainAbsence } from './responses.ts';
import { ANY_EMBEDDER } from './security-headers.ts';
import { readReceipt } from './tips.server.ts';

/** The parameters of a photo's address. */
type PhotoParameters = { id?: string; width?: string };

/**
 * Serves a photo to readers if they may see it now. The response is cached and purged with the tag of the coverage's
 * photos. A matching ETag saves reading the file.
 * @throws Refused when database or storage does not answer
 */
export async function serveReaderPhoto(
  messages: Messages,
  parameters: PhotoParameters,
  ifNoneMatch: string | null,
): Promise<Response> {
  const requested = parseParameters(parameters);
  const row = requested && (await findReaderPhoto(requested.id));
  const rendition = requested && row && renditionFor(row.renditions as Rendition[], requested.width);
  if (!rendition || !row.coverage_id) {
    // The same response for missing, private and removed photos. Every change that can publish a photo purges
    // `updates`.
    return plainAbsence(messages, 'not_found', [tags.missing, tags.updates]);
  }
  const headers = new Headers(ANY_EMBEDDER);
  declareCache(headers, 'page', [tags.photos(row.coverage_id)]);
  const etag = `W/"${rendition.width}-${Date.parse(row.ready_at ?? '').toString(36)}"`;
  headers.set('ETag', etag);
  if (ifNoneMatch && matchesEntityTag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers });
  return imageResponse(
    await readRendition(row.bucket as PhotoBucket, requested.id, rendition.width),
    headers,
  );
}

const findReaderPhoto = (id: string) =>
  dataOf(
    readerClient()
      .from('photos')
      .select('coverage_id, bucket, renditions, ready_at')
      .eq('id', id)
      .maybeSingle(),
  );

/** Reads the largest file of a photo that readers may see; null if there is none or it cannot be read now. */
export async function readReaderPhotoFile(id: string): Promise<Uint8Array | null> {
  try {
    const row = await findReaderPhoto(id);
    const rendition = row && renditionFor(row.renditions as Rendition[], PHOTO_WIDTHS[2]);
    if (!rendition) return null;
    return new Uint8Array(await readRendition(row.bucket as PhotoBucket, id, rendition.width));
  } catch (error) {
    refusalOrThrow(error);
    return null;
  }
}

/**
 * Serves a photo of a coverage or tip to staff, with their own permissions.
 * @throws Refused
 */
export async function serveDeskPhoto(backend: BackendClient, parameters: PhotoParameters): Promise<Response> {
  const requested = parseParameters(parameters);
  const photo =
    requested &&
    ((await findDeskPhoto(backend, requested.id)) ?? (await findTipPhoto(backend, requested.id)));
  const rendition = photo && renditionFor(photo.renditions, requested.width);
  if (!rendition) throw new Refused('not_found');
  const bytes = await readRendition(photo.bucket, requested.id, rendition.width);
  return imageResponse(bytes, new Headers({ 'Cache-Control': `private, ${NO_STORE}` }));
}

/**
 * Serves the photo of a tip to the holder of its receipt.
 * @throws Refused `not_found` alike for a wrong receipt, a tip without a photo, and a photo that is not ready
 */
export async function serveReceiptPhoto(receipt: string): Promise<Response> {
  const photo = (await readReceipt(receipt))?.photo;
  const rendition = photo?.state === 'ready' && renditionFor(photo.renditions, RECEIPT_PHOTO_WIDTH);
  if (!rendition) throw new Refused('not_found');
  return imageResponse(await readRendition('tips', photo.id, rendition.width), new Headers());
}

/**
 * Serves the photo of a tip to the signed-in person who sent it, in its smallest size.
 * @throws Refused `not_found` alike for another person's tip, a tip without a photo, and a photo that is not ready
 */
export async function serveOwnTipPhoto(backend: BackendClient, tipId = ''): Promise<Response> {
  const [tip] = isUuid(tipId) ? await readOwnTips(backend, tipId) : [];
  const photo = tip?.photo;
  const rendition = photo?.state === 'ready' && photo.renditions[0];
  if (!rendition) throw new Refused('not_found');
  const bytes = await readRendition('tips', photo.id, rendition.width);
  return imageResponse(bytes, new Headers({ 'Cache-Control': `private, ${NO_STORE}` }));
}

type StoredPhoto = { bucket: PhotoBucket; renditions: Rendition[] };

async function findDeskPhoto(backend: BackendClient, id: string): Promise<StoredPhoto | null> {
  const row = await dataOf(
    backend.from('desk_photos').select('bucket, renditions').eq('id', id).maybeSingle(),
  );
  return row && { bucket: row.bucket as PhotoBucket, renditions: row.renditions as Rendition[] };
}

async function findTipPhoto(backend: BackendClient, id: string): Promise<StoredPhoto | null> {
  const renditions = (await dataOf(backend.rpc('tip_photo', { photo_id: id }))) as Rendition[] | null;
  return renditions && { bucket: 'tips', renditions };
}

function parseParameters({ id = '', width = '' }: PhotoParameters): { id: string; width: number } | null {
  const known = PHOTO_WIDTHS.find((one) => String(one) === width);
  return known && isUuid(id) ? { id: id.toLowerCase(), width: known } : null;
}

/** All stored renditions are WebP. */
function imageResponse(bytes: ArrayBuffer, headers: Headers): Response {
  headers.set('Content-Type', 'image/webp');
  headers.set('Content-Length', String(bytes.byteLength));
  return new Response(bytes, { headers });
}
