import type { ReadableAtom } from 'nanostores';
import {
  EMPTY_PHOTO_TEXTS,
  movePhoto,
  type PhotoTexts,
  updatePhotoTexts,
} from '../../lib/data/photo-form.ts';
import type { UpdateForm } from '../../lib/data/update-form.ts';
import { photoIds } from '../../lib/domain/body/blocks.ts';
import { withoutPhotoMarker } from '../../lib/domain/body/photo-markers.ts';
import { updateContent } from '../../lib/domain/updates.ts';
import type { Desk } from '../desk/desk.ts';
import type { EditedUpdate } from '../outbox/entries.ts';
import { rememberedCredit } from './draft-store.ts';

/** Changes to the photos of an edited update. */
export type EditorPhotos = {
  add(files: readonly Blob[]): void;
  changeText(id: string, words: Partial<PhotoTexts>): void;
  move(id: string, by: -1 | 1): void;
  remove(id: string): void;
};

type PhotosDesk = Pick<Desk, 'person' | 'updates' | 'photos'>;

type EditorPhotosOptions = {
  $edited: ReadableAtom<EditedUpdate>;
  $aside: ReadableAtom<UpdateForm | null>;
  change(part: Partial<UpdateForm>): void;
};

/** Ids of photos in stored versions of the update. Their uploads continue even when the edited text is discarded. */
export function photosAtDesk({ updates }: Pick<Desk, 'updates'>, { id, before }: EditedUpdate): string[] {
  const listed = updates.$rows.get().find((update) => update.id === id);
  return [...photoIds(before?.body ?? []), ...photoIds(listed?.body ?? [])];
}

export function editorPhotos(
  desk: PhotosDesk,
  { $edited, $aside, change }: EditorPhotosOptions,
): EditorPhotos {
  const credit = rememberedCredit(desk.person.id);
  const photos = () => $edited.get().form.photos;
  return {
    add(files) {
      const added = desk.photos.add($edited.get().id, files);
      change({
        photos: [...photos(), ...added.map((id) => ({ ...EMPTY_PHOTO_TEXTS, id, credit: credit.read() }))],
      });
    },
    changeText(id, words) {
      change({ photos: updatePhotoTexts(photos(), id, words) });
      if (words.credit !== undefined) credit.save(words.credit);
    },
    move: (id, by) => change({ photos: movePhoto(photos(), id, by) }),
    remove(id) {
      const { body } = $edited.get().form;
      const index = photos().findIndex((photo) => photo.id === id);
      if (index >= 0) change({ photos: photos().toSpliced(index, 1), body: withoutPhotoMarker(body, index) });
      // The stored version and the content put aside may still use the photo.
      const isAtDesk = photosAtDesk(desk, $edited.get()).includes(id);
      const isAside = $aside.get()?.photos.some((photo) => photo.id === id);
      if (!isAtDesk && !isAside) desk.photos.cancel([id]);
    },
  };
}

/**
 * Removes a photo from an unpublished update.
 * @throws Refused
 */
export async function removePhotoFromDraft(
  desk: Pick<Desk, 'updates' | 'sync' | 'backend'>,
  update_id: string,
  photo: string,
): Promise<void> {
  const update = await desk.updates.read(update_id);
  if (!update) return;
  const content = updateContent(update);
  const body = content.body.filter((block) => block.type !== 'photo' || block.photo !== photo);
  if (body.length === content.body.length) return;
  const { coverage_id, version } = update;
  await desk.backend.execute('save_update', {
    coverage_id,
    update_id,
    version,
    content: { ...content, body },
  });
  await desk.sync.refresh();
}
