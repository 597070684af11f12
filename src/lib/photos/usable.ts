import type { Backend } from '../desk/read.ts';
import { dataOf } from '../supabase/answer.ts';
import type { DeskPhoto } from './photo.ts';

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
