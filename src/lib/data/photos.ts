import type { DeskPhoto, Rendition } from '../domain/photos.ts';
import { type BackendClient, dataOf } from './result.ts';

/** Returns photos by id as the caller sees them at the desk, in no particular order. */
export async function readPhotos(backend: BackendClient, ids: string[]): Promise<DeskPhoto[]> {
  if (ids.length === 0) return [];
  const rows = await dataOf(
    backend
      .from('desk_photos')
      .select('id, state, refusal_code, width, height, renditions, alt, caption, credit')
      .in('id', ids),
  );
  // The generated types do not know the shape of `renditions`, which the database validates.
  return rows.map((row) => ({ ...row, renditions: row.renditions as Rendition[] }));
}

/** Number of photos on one page of the picker. */
const PHOTOS_PER_PAGE = 12;

type UsablePhotos = { photos: DeskPhoto[]; more: boolean };

/**
 * Returns photos of a coverage that the caller may add to an update, newest first.
 * @param words search text; '' for all
 * @param after id of the last photo of the previous page
 */
export async function readUsablePhotos(
  backend: BackendClient,
  coverage: string,
  words: string,
  after?: string,
): Promise<UsablePhotos> {
  const rows = await dataOf(
    backend.rpc('photo_library', {
      coverage,
      filter: 'usable',
      max_rows: PHOTOS_PER_PAGE + 1,
      ...(words && { words }),
      ...(after && { before: after }),
    }),
  );
  const photos = rows
    .slice(0, PHOTOS_PER_PAGE)
    .map(({ id, state, refusal_code, width, height, alt, caption, credit }) => ({
      ...{ id, state, refusal_code, width, height, alt, caption, credit },
      // The picker shows photos by their URL and needs no sizes.
      renditions: [],
    }));
  return { photos, more: rows.length > PHOTOS_PER_PAGE };
}
