import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../domain/photos.ts';
import { CARD_SIZE, type DrawnCard } from './og-image/card.ts';

/** A picture as places that show links ask for it: in pixels. */
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

/** A language as Open Graph has it, with the land that it is mostly spoken in where none is said; nothing for what is taken for granted. */
export function localeOf(tag: string): string | undefined {
  try {
    const { language, region } = new Intl.Locale(tag).maximize();
    const locale = `${language}_${region}`;
    return locale === 'en_US' ? undefined : locale;
  } catch {
    return undefined;
  }
}
