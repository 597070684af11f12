import type { Backend } from '../data/desk.ts';
import { type Bucket, readPrint } from '../data/photo-objects.server.ts';
import { reader } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';
import { isUuid } from '../domain/paths.ts';
import { PHOTO_WIDTHS, type Rendition, renditionFor } from '../domain/photos.ts';
import { Refused, refusal } from '../i18n/refusals.ts';
import { declareCache, NO_STORE, tags } from './cache-policy.ts';
import { matchesEntityTag } from './request.ts';
import { plainAbsence } from './responses.ts';

/** What an address asks for. */
export type Question = { id?: string; width?: string };

/**
 * A photo for readers, where they may see it at this moment. Kept and purged as a page is, under the coverage's photos;
 * whoever holds it already is told so without its being fetched.
 * @throws Refused when nobody can tell, or storage does not answer
 */
export async function serveToReaders(question: Question, ifNoneMatch: string | null): Promise<Response> {
  const asked = readQuestion(question);
  const row =
    asked &&
    (await dataOf(
      reader()
        .from('photos')
        .select('coverage_id, bucket, prints, ready_at')
        .eq('id', asked.id)
        .maybeSingle(),
    ));
  const print = asked && row && renditionFor(row.prints as Rendition[], asked.width);
  if (!print || !row.coverage_id) {
    // Never was, or is not for readers, or not any more: they learn no more than that. Every change of a coverage is told
    // to the lists: that may be the one that shows it.
    return plainAbsence('not_found', [tags.missing, tags.lists]);
  }
  const headers = new Headers();
  declareCache(headers, 'page', [tags.photos(row.coverage_id)]);
  const etag = `W/"${print.width}-${Date.parse(row.ready_at ?? '').toString(36)}"`;
  headers.set('ETag', etag);
  if (ifNoneMatch && matchesEntityTag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers });
  return picture(await readPrint(row.bucket as Bucket, asked.id, print.width), headers);
}

/**
 * A photo for the desk, under the rights of whoever asks: one of its coverages', or a tip's.
 * @throws Refused
 */
export async function serveToDesk(backend: Backend, question: Question): Promise<Response> {
  const asked = readQuestion(question);
  const found = asked && ((await findAtDesk(backend, asked.id)) ?? (await findInTips(backend, asked.id)));
  const print = found && renditionFor(found.prints, asked.width);
  if (!print) throw new Refused(refusal('not_found'));
  const bytes = await readPrint(found.bucket, asked.id, print.width);
  return picture(bytes, new Headers({ 'Cache-Control': `private, ${NO_STORE}` }));
}

type Found = { bucket: Bucket; prints: Rendition[] };

async function findAtDesk(backend: Backend, id: string): Promise<Found | null> {
  const row = await dataOf(backend.from('desk_photos').select('bucket, prints').eq('id', id).maybeSingle());
  return row && { bucket: row.bucket as Bucket, prints: row.prints as Rendition[] };
}

async function findInTips(backend: Backend, id: string): Promise<Found | null> {
  const prints = (await dataOf(backend.rpc('tip_photo', { photo_id: id }))) as Rendition[] | null;
  return prints && { bucket: 'tips', prints };
}

function readQuestion({ id = '', width = '' }: Question): { id: string; width: number } | null {
  const known = PHOTO_WIDTHS.find((one) => String(one) === width);
  return known && isUuid(id) ? { id: id.toLowerCase(), width: known } : null;
}

/** All that is in storage was made by us. */
function picture(bytes: ArrayBuffer, headers: Headers): Response {
  headers.set('Content-Type', 'image/webp');
  headers.set('Content-Length', String(bytes.byteLength));
  return new Response(bytes, { headers });
}
