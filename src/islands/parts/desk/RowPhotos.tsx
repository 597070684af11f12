import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { deskPhotoPath, PHOTO_WIDTHS } from '../../../lib/photos/photo.ts';
import { deskPhotos as messages } from '../../../lib/text/desk-photos.ts';

/** Photos of an update in the list, and the number of missing ones. */
export function RowPhotos({ photos }: Pick<DeskUpdate, 'photos'>) {
  if (photos.length === 0) return null;
  const count = (state: 'arriving' | 'refused') => photos.filter((photo) => photo.state === state).length;
  const [arriving, refused] = [count('arriving'), count('refused')];
  return (
    <div className="row-photos">
      {photos.map(
        ({ id, state, alt, width, height }) =>
          state === 'ready' && (
            <img
              key={id}
              src={deskPhotoPath(id, PHOTO_WIDTHS[0])}
              alt={alt ?? ''}
              width={width ?? undefined}
              height={height ?? undefined}
              loading="lazy"
              decoding="async"
            />
          ),
      )}
      {arriving > 0 && <span className="help">{messages.row.arriving(arriving)}</span>}
      {refused > 0 && <span className="help">{messages.row.refused(refused)}</span>}
    </div>
  );
}
