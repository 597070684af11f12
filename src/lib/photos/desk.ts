import type { Backend } from '../desk/read.ts';
import { dataOf } from '../supabase/answer.ts';
import type { DeskPhoto, Print } from './photo.ts';

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
  return rows.map((row) => ({ ...row, prints: row.prints as Print[] }));
}
