import type { DeskPhoto, Rendition } from '../domain/photos.ts';
import type { Backend } from './desk.ts';
import { dataOf } from './result.ts';

/** Photos by their ids as the caller may see them at the desk, in no order. */
export async function readPhotos(backend: Backend, ids: string[]): Promise<DeskPhoto[]> {
  if (ids.length === 0) return [];
  const rows = await dataOf(
    backend
      .from('desk_photos')
      .select('id, state, refusal, width, height, prints, alt, caption, credit')
      .in('id', ids),
  );
  // The database makes the prints: its types cannot say what they are.
  return rows.map((row) => ({ ...row, prints: row.prints as Rendition[] }));
}

/** As many as are looked through at once. */
const AT_ONCE = 12;

export type UsablePhotos = { photos: DeskPhoto[]; more: boolean };

/**
 * Photos of a coverage that the caller may put into an update of theirs, the newest first.
 * @param words what they are found by; '' finds all
 * @param after the id of the last one that was seen
 */
export async function readUsablePhotos(
  backend: Backend,
  coverage: string,
  words: string,
  after?: string,
): Promise<UsablePhotos> {
  const rows = await dataOf(
    backend.rpc('photo_library', {
      coverage,
      which: 'usable',
      most: AT_ONCE + 1,
      ...(words && { words }),
      ...(after && { before: after }),
    }),
  );
  const photos = rows
    .slice(0, AT_ONCE)
    .map(({ id, state, refusal, width, height, alt, caption, credit }) => ({
      ...{ id, state, refusal, width, height, alt, caption, credit },
      // They are shown by their address: what they are printed in does not matter here.
      prints: [],
    }));
  return { photos, more: rows.length > AT_ONCE };
}
