import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../domain/photos.ts';
import { CARD_SIZE, type DrawnCard } from './og-image/card.ts';

/** Image for link previews on other sites, in pixels. */
export type SharedImage = { path: string; type: string; width: number; height: number; alt: string };

export const sharedCard = ({ path, alt }: DrawnCard): SharedImage => ({
  path,
  type: 'image/png',
  ...CARD_SIZE,
  alt,
});

export function sharedPhoto({ id, prints, width, height, alt }: ReaderPhoto): SharedImage {
  const print = renditionFor(prints, PHOTO_WIDTHS[2]) ?? { width, height };
  return {
    path: photoPath(id, PHOTO_WIDTHS[2]),
    type: 'image/webp',
    width: print.width,
    height: print.height,
    alt,
  };
}

/** Returns the Open Graph locale of a language, with its most likely region; undefined for the default en_US. */
export function localeOf(tag: string): string | undefined {
  try {
    const { language, region } = new Intl.Locale(tag).maximize();
    const locale = `${language}_${region}`;
    return locale === 'en_US' ? undefined : locale;
  } catch {
    return undefined;
  }
}
