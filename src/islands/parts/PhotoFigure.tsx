import type { ReactNode } from 'react';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto } from '../../lib/photos/photo.ts';
import { printFor } from '../../lib/photos/print-sizes.ts';
import type { ReaderUpdate } from '../../lib/updates/update.ts';
import { PhotoCaption } from './PhotoCaption.tsx';
import { useReaderMessages } from './readers-words.ts';

/** Renders the photo of a body with this id, or nothing. */
export type DrawPhoto = (id: string) => ReactNode;

/** Renders an update's photos for readers. */
export function photosOf({ photos }: Pick<ReaderUpdate, 'photos'>): DrawPhoto {
  return (id) => {
    const photo = photos.find((candidate) => candidate.id === id);
    return photo && <PhotoFigure photo={photo} />;
  };
}

/** Width of the column of updates (styles/tokens.css), or of a phone. */
const SIZES = '(min-width: 36rem) 34rem, calc(100vw - 2rem)';

/**
 * A photo of an update. It is a placeholder with size and text, which show-photos.ts replaces on a good connection, to
 * save data on a poor one. Without scripts the image itself is shown.
 */
function PhotoFigure({ photo }: { photo: ReaderPhoto }) {
  const messages = useReaderMessages();
  const { id, width, height, colour, alt, caption, credit } = photo;
  const [smallest] = PHOTO_WIDTHS;
  const bytes = printFor(photo.prints, smallest)?.bytes ?? 0;
  return (
    <figure className="photo">
      <div className="frame">
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="xMinYMid"
          aria-hidden="true"
        >
          <path fill={colour} d={`M0 0h${width}v${height}H0z`} />
        </svg>
        <div className="place" data-photo={id}>
          <a href={photoPath(id, smallest)}>{messages.showPhoto(bytes)}</a>
          <p>{alt}</p>
        </div>
        <noscript>
          <img
            src={photoPath(id, smallest)}
            {...sourcesOf(photo)}
            width={width}
            height={height}
            alt={alt}
            loading="lazy"
            decoding="async"
          />
        </noscript>
      </div>
      <PhotoCaption caption={caption} credit={credit} />
    </figure>
  );
}

/** Image sources by width; none for a photo with a single rendition. */
function sourcesOf({ id, prints }: ReaderPhoto): { srcSet?: string; sizes?: string } {
  const sources = PHOTO_WIDTHS.flatMap((width, index) => {
    const print = printFor(prints, width);
    const isNew = print && print.width > (PHOTO_WIDTHS[index - 1] ?? 0);
    return isNew ? [`${photoPath(id, width)} ${print.width}w`] : [];
  });
  return sources.length > 1 ? { srcSet: sources.join(', '), sizes: SIZES } : {};
}
