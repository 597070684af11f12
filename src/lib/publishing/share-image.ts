import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../domain/photos.ts';
import { OG_IMAGE_SIZE, type OgImageLink } from './og-image/card.ts';

/** Image for link previews on other sites, in pixels. */
export type ShareImage = { path: string; type: string; width: number; height: number; alt: string };

export const shareOgImage = ({ path, alt }: OgImageLink): ShareImage => ({
  path,
  type: 'image/png',
  ...OG_IMAGE_SIZE,
  alt,
});

export function sharePhoto({ id, renditions, width, height, alt }: ReaderPhoto): ShareImage {
  const rendition = renditionFor(renditions, PHOTO_WIDTHS[2]) ?? { width, height };
  return {
    path: photoPath(id, PHOTO_WIDTHS[2]),
    type: 'image/webp',
    width: rendition.width,
    height: rendition.height,
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
