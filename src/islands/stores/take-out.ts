import { contentOf } from '../../lib/desk/update.ts';
import type { Desk } from './desk.ts';

/**
 * Removes a photo from an unpublished update.
 * @throws Refused
 */
export async function removePhotoFromDraft(desk: Desk, update_id: string, photo: string): Promise<void> {
  const update = await desk.look(update_id);
  if (!update) return;
  const content = contentOf(update);
  const body = content.body.filter((block) => block.type !== 'photo' || block.photo !== photo);
  if (body.length === content.body.length) return;
  const { coverage_id, version } = update;
  await desk.press('save_update', { coverage_id, update_id, version, content: { ...content, body } });
  await desk.refresh();
}
