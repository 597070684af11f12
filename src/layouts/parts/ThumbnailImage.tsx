import { PHOTO_WIDTHS, photoPath, type ReaderPhoto } from '../../lib/domain/photos.ts';

type Props = {
  photo: ReaderPhoto;
  /** Language and direction of the alt text. */
  lang?: string | undefined;
  dir?: string | undefined;
};

/**
 * The image of a thumbnail. React escapes `<` in attributes and Astro does not: in a noscript element, which browsers
 * with scripts read as text, an alt text with its end tag would become markup.
 */
export function ThumbnailImage({ photo: { id, width, height, alt }, lang, dir }: Props) {
  return (
    <img
      src={photoPath(id, PHOTO_WIDTHS[0])}
      width={width}
      height={height}
      alt={alt}
      loading="lazy"
      decoding="async"
      lang={lang}
      dir={dir}
    />
  );
}
