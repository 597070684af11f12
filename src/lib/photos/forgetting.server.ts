import { admin } from '../supabase/admin.server.ts';
import { dataOf } from '../supabase/answer.ts';
import { type Bucket, removeObjects } from './objects.server.ts';

/** What remains is for the next time: the names of more would make too long an address. */
const AT_ONCE = 100;

/**
 * Forgets photos that nobody would miss, and removes from storage what is left of them, of those that were forgotten
 * before or removed, and of what was sent of photos that have been looked at.
 */
export async function forgetPhotos(): Promise<void> {
  const left = (await dataOf(admin().rpc('photos_to_forget'))).slice(0, AT_ONCE);
  if (left.length === 0) return;
  const ids = [...new Set(left.map(({ id }) => id))];
  await dataOf(admin().rpc('forget_photos', { ids }));
  // Asked afterwards: an update may just have taken one of them.
  const kept = await dataOf(admin().from('photos').select('id, state').in('id', ids));
  const states = new Map(kept.map(({ id, state }) => [id, state]));
  for (const { id, bucket, paths } of left) {
    const state = states.get(id);
    const isSent = (path: string) => path.startsWith('incoming/');
    const isKept = state === 'ready' || state === 'refused';
    if (state !== 'arriving') await removeObjects(bucket as Bucket, isKept ? paths.filter(isSent) : paths);
  }
}
