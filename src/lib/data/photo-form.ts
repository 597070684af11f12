import { oneLine } from '../domain/body/blocks.ts';
import { LIMITS } from '../domain/limits.ts';
import type { DeskPhoto } from '../domain/photos.ts';
import type { Messages } from '../i18n/messages.ts';

/** Texts of a photo, with the column names of the database. */
export type PhotoTexts = { alt: string; caption: string; credit: string };

/** A photo of an update in the editor. Its id is created on the device when the photo is chosen. */
export type FormPhoto = PhotoTexts & { id: string };

export const EMPTY_PHOTO_TEXTS: PhotoTexts = { alt: '', caption: '', credit: '' };

/** Returns the form values of an existing photo. */
export function formPhoto(photo: DeskPhoto): FormPhoto {
  return { id: photo.id, ...photoTexts(photo) };
}

/** Returns the form values of stored texts. */
export function photoTexts({ alt, caption, credit }: Pick<DeskPhoto, keyof PhotoTexts>): PhotoTexts {
  return { alt: alt ?? '', caption: caption ?? '', credit: credit ?? '' };
}

/** Converts the texts to arguments of the database. All except the caption are on one line. */
export function photoContent({ alt, caption, credit }: PhotoTexts) {
  return { alt: oneLine(alt) || null, caption: caption.trim() || null, credit: oneLine(credit) || null };
}

/** Problems of photos by photo id: the field and its message. */
export type PhotoProblems = Record<string, { field: keyof PhotoTexts; sentence: string }>;

/**
 * Validates the photos of an update by the rules of the database.
 * @param requiresAlt whether alt text is required, because readers or an editor see the photos next
 * @param sent ids of the photos that are submitted
 */
export function photoProblems(
  messages: Pick<Messages, 'deskPhotos'>,
  photos: FormPhoto[],
  requiresAlt: boolean,
  sent: string[],
): PhotoProblems {
  const problems = photos.map((photo, index) => [
    photo.id,
    problemOf(messages, photo, requiresAlt, index, photos.length),
  ]);
  return Object.fromEntries(problems.filter(([id, problem]) => problem && sent.includes(String(id))));
}

function problemOf(
  messages: Pick<Messages, 'deskPhotos'>,
  photo: FormPhoto,
  requiresAlt: boolean,
  index: number,
  count: number,
) {
  const content = photoContent(photo);
  for (const field of ['alt', 'caption', 'credit'] as const) {
    const length = [...(content[field] ?? '')].length;
    const max = LIMITS[field];
    if (length > max)
      return {
        field,
        sentence: messages.deskPhotos.tooLong(index + 1, messages.deskPhotos[field], length, max),
      };
  }
  if (requiresAlt && !content.alt)
    return { field: 'alt' as const, sentence: messages.deskPhotos.noAlt(index + 1, count) };
  return undefined;
}

/** Moves a photo by one position, unless it is at the end. */
export function movePhoto(photos: FormPhoto[], id: string, by: -1 | 1): FormPhoto[] {
  const from = photos.findIndex((photo) => photo.id === id);
  const to = from + by;
  const photo = photos[from];
  if (!photo || to < 0 || to >= photos.length) return photos;
  return photos.toSpliced(from, 1).toSpliced(to, 0, photo);
}

/** Changes the texts of one photo. */
export function updatePhotoTexts(photos: FormPhoto[], id: string, part: Partial<PhotoTexts>): FormPhoto[] {
  return photos.map((photo) => (photo.id === id ? { ...photo, ...part } : photo));
}

/**
 * Returns the sentence for a rejected photo.
 * @param code error code
 */
export function photoRefusal({ deskPhotos }: Pick<Messages, 'deskPhotos'>, code: string | null): string {
  const sentences: Record<string, string> = deskPhotos.refusals;
  return sentences[code ?? ''] ?? deskPhotos.refusals.internal;
}
