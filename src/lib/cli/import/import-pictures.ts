import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Semaphore } from 'async-mutex';
import { v5 as uuidFrom } from 'uuid';
import { type HttpResponse, readBytes } from '../../../../supabase/functions/_shared/http-client.ts';
import type { NetworkAccess } from '../../../../supabase/functions/_shared/network.ts';
import { openAddress, requireAnswer } from '../../../../supabase/functions/_shared/open-address.ts';
import { Refused as RefusedAddress } from '../../../../supabase/functions/_shared/refusals.ts';
import { renditionPath } from '../../data/photo-objects.server.ts';
import { type BackendClient, dataOf, runCommand } from '../../data/result.ts';
import type { Body } from '../../domain/body/blocks.ts';
import { LIMITS } from '../../domain/limits.ts';
import { PHOTO_TYPES, type PhotoState } from '../../domain/photos.ts';
import { Refused } from '../../i18n/refusals.ts';
import { runImageWorker } from '../../server/image-processing/image-processor.server.ts';
import type { ProcessedPhoto } from '../../server/image-processing/image-worker.ts';
import type { Item } from './read-feed.ts';
import { type LeftPicture, type Picture, type PictureProblem, pictureKey } from './wordpress-pictures.ts';

/** How pictures are fetched. */
export type PictureSource = {
  net: NetworkAccess;
  /** Origin in a private network that the owner allows. */
  privateOrigin: string | undefined;
};

/** Limits of one picture. A slow host may take some time for 20 MB. */
const ADDRESS_LIMITS = { ms: 30_000, bytes: LIMITS.photo_bytes, redirects: 5 };

/** Pictures that are fetched and converted at once. Each conversion can take a whole core. */
const CONCURRENCY = 2;

/** Failed attempts after which a host is not asked again. Otherwise each picture of a host that is gone takes 30 s. */
const MAX_FAILURES = 3;

/**
 * Makes photos of the pictures of one import. A photo has an id that follows from its picture, so that importing it
 * again finds the same photo.
 */
export function createPictureImporter(service: BackendClient, { net, privateOrigin }: PictureSource) {
  const slots = new Semaphore(CONCURRENCY);
  /** Results by photo. */
  const results = new Map<string, Promise<PictureProblem | undefined>>();
  /** Failures in a row by host. */
  const failures = new Map<string, number>();
  const shown = new Set<string>();
  const left: LeftPicture[] = [];

  /** Returns the photo of a picture, or why there is none. */
  async function photoOf(coverageId: string, picture: Picture): Promise<{ id: string } | PictureProblem> {
    const id = uuidFrom(pictureKey(picture), coverageId);
    const result =
      results.get(id) ?? slots.runExclusive(() => makePhoto({ id, coverage_id: coverageId }, picture));
    results.set(id, result);
    return (await result) ?? { id };
  }

  async function makePhoto(photo: PhotoIds, picture: Picture): Promise<PictureProblem | undefined> {
    const state = await stateOf(photo.id);
    if (state === 'ready') return undefined;
    if (state === 'refused' || state === 'removed') return 'refused';
    let problem: PictureProblem = 'not_found';
    for (const url of picture.urls) {
      const bytes = await fetchPicture(url);
      if (typeof bytes !== 'string') return storePhoto(photo, picture, bytes);
      problem = bytes;
    }
    return problem;
  }

  async function stateOf(id: string): Promise<PhotoState | undefined> {
    return (await dataOf(service.from('photos').select('state').eq('id', id).maybeSingle()))?.state;
  }

  async function fetchPicture(url: string): Promise<Uint8Array | PictureProblem> {
    const { host } = new URL(url);
    const failed = failures.get(host) ?? 0;
    if (failed >= MAX_FAILURES) return 'not_reached';
    try {
      const bytes = await openAddress(
        { link: url, accept: PHOTO_TYPES.join(','), privateOrigin, read: readPicture },
        net,
        ADDRESS_LIMITS,
      );
      failures.delete(host);
      return bytes;
    } catch (error) {
      const problem = problemOf(error);
      failures.set(host, problem === 'not_reached' ? failed + 1 : 0);
      return problem;
    }
  }

  /** Converts a picture and stores it as a photo that is ready. */
  async function storePhoto(
    photo: PhotoIds,
    { alt, caption, credit }: Picture,
    bytes: Uint8Array,
  ): Promise<PictureProblem | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'stoppress-picture-'));
    try {
      const file = join(folder, 'fetched');
      await writeFile(file, bytes);
      const converted = await convert(file, folder);
      if (typeof converted === 'string') return 'not_a_photo';
      if ('refusal' in converted) return converted.refusal === 'too_large' ? 'too_large' : 'not_a_photo';
      const content = { alt, ...(caption && { caption }), ...(credit && { credit }) };
      await runCommand(service, 'save_photo', {
        photo_id: photo.id,
        coverage_id: photo.coverage_id,
        content,
      });
      await storeRenditions(photo.id, converted, folder);
      return undefined;
    } catch (error) {
      // A text that the database refuses, for example.
      if (error instanceof Refused && error.refusal.code === 'invalid') return 'refused';
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async function storeRenditions(id: string, converted: ProcessedPhoto, folder: string): Promise<void> {
    const { renditions, placeholder_colour } = converted;
    for (const { width } of renditions) {
      const { error } = await service.storage
        .from('photos')
        .upload(renditionPath(id, width), await readFile(join(folder, String(width))), {
          contentType: 'image/webp',
          upsert: true,
        });
      if (error) throw new Refused('unavailable');
    }
    await dataOf(service.rpc('mark_photo_ready', { photo_id: id, renditions, placeholder_colour }));
  }

  return {
    /** Returns the body of an item with the photos that could be made. The other pictures stay links. */
    async bodyOf(coverageId: string, { body, pictures }: Item): Promise<Body> {
      if (!pictures) return body;
      const photos = new Map<Picture, string>();
      await Promise.all(
        pictures.pictures.map(async (picture) => {
          const result = await photoOf(coverageId, picture);
          if (typeof result === 'string') left.push({ url: picture.urls[0] ?? '', problem: result });
          else photos.set(picture, result.id);
        }),
      );
      for (const id of photos.values()) shown.add(id);
      left.push(...pictures.left);
      return photos.size > 0 ? pictures.bodyWith(photos) : body;
    },

    /** The number of photos that updates show, and the pictures that stayed links. */
    report: () => ({ photos: shown.size, left }),
  };
}

type PhotoIds = { id: string; coverage_id: string };

/**
 * Converts a picture. A second attempt follows when the machine interrupts the first.
 * @throws Refused `unavailable` when both are interrupted
 */
export async function convert(file: string, folder: string, run = runImageWorker) {
  const first = await run(file, folder);
  const result = first === 'interrupted' ? await run(file, folder) : first;
  if (result === 'interrupted') throw new Refused('unavailable');
  return result;
}

async function readPicture({ status, body }: HttpResponse): Promise<Uint8Array> {
  requireAnswer(status);
  if (status !== 200) throw new RefusedAddress('not_found');
  return readBytes(body, LIMITS.photo_bytes);
}

function problemOf(error: unknown): PictureProblem {
  if (!(error instanceof RefusedAddress)) throw error;
  if (error.code === 'not_found') return 'not_found';
  if (error.code === 'too_large') return 'too_large';
  if (error.code === 'unavailable') return 'not_reached';
  return error.reason === 'not_a_web_page' ? 'not_reached' : 'not_public';
}
