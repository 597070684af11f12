import { PHOTO_WIDTHS, photoPath, type ReaderPhoto } from '../../lib/photos/photo.ts';

/** A photo of an update, as readers see it. */
export function PhotoFigure({ photo }: { photo: ReaderPhoto }) {
  const { id, width, height, alt, caption, credit } = photo;
  return (
    <figure className="photo">
      <img
        src={photoPath(id, PHOTO_WIDTHS[0])}
        width={width}
        height={height}
        alt={alt}
        loading="lazy"
        decoding="async"
      />
      {(caption || credit) && (
        <figcaption>
          {caption} {credit && <cite>{credit}</cite>}
        </figcaption>
      )}
    </figure>
  );
}
