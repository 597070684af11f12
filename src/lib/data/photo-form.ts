import { LIMITS } from '../domain/limits.ts';
import type { DeskPhoto } from '../domain/photos.ts';
import { deskPhotos as words } from '../i18n/desk-photos.ts';

/** What is said of a photo, nothing null. Named as the database names them. */
export type PhotoWords = { alt: string; caption: string; credit: string };

/** A photo of an update while that is being written. Its id is made on the device when it is chosen. */
export type FormPhoto = PhotoWords & { id: string };

export const NO_PHOTO_WORDS: PhotoWords = { alt: '', caption: '', credit: '' };

/** A photo of an update that is opened again. */
export function formPhoto({ id, alt, caption, credit }: DeskPhoto): FormPhoto {
  return { id, alt: alt ?? '', caption: caption ?? '', credit: credit ?? '' };
}

/** What is sent of a photo's words. All but the caption stand on one line. */
export function photoContent({ alt, caption, credit }: PhotoWords) {
  return { alt: oneLine(alt) || null, caption: caption.trim() || null, credit: oneLine(credit) || null };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** What is wrong with photos, by their ids: the field that it is in, and a sentence. */
export type PhotoProblems = Record<string, { field: keyof PhotoWords; sentence: string }>;

/**
 * What the database would refuse of an update's photos, told before it is asked.
 * @param mustSay readers, or whoever decides, see it next: each photo says what it shows
 * @param sent the ids of those that are sent at all
 */
export function photoProblems(photos: FormPhoto[], mustSay: boolean, sent: string[]): PhotoProblems {
  const problems = photos.map((photo, index) => [photo.id, problemOf(photo, mustSay, index, photos.length)]);
  return Object.fromEntries(problems.filter(([id, problem]) => problem && sent.includes(String(id))));
}

function problemOf(photo: FormPhoto, mustSay: boolean, index: number, count: number) {
  const content = photoContent(photo);
  for (const field of ['alt', 'caption', 'credit'] as const) {
    const length = [...(content[field] ?? '')].length;
    const most = LIMITS[field];
    if (length > most) return { field, sentence: words.tooLong(index + 1, words[field], length, most) };
  }
  if (mustSay && !content.alt) return { field: 'alt' as const, sentence: words.noAlt(index + 1, count) };
  return undefined;
}

/** The photos with one of them moved by so many places, as far as that goes. */
export function moved(photos: FormPhoto[], id: string, by: -1 | 1): FormPhoto[] {
  const from = photos.findIndex((photo) => photo.id === id);
  const to = from + by;
  const photo = photos[from];
  if (!photo || to < 0 || to >= photos.length) return photos;
  return photos.toSpliced(from, 1).toSpliced(to, 0, photo);
}

/** The photos with other words for one of them. */
export function reworded(photos: FormPhoto[], id: string, part: Partial<PhotoWords>): FormPhoto[] {
  return photos.map((photo) => (photo.id === id ? { ...photo, ...part } : photo));
}
