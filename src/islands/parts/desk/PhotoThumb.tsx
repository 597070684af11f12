import { deskPhotos as words } from '../../../lib/text/desk-photos.ts';

/** A photo, small, to tell it from the others. What it shows is said beside it. */
export function PhotoThumb({ picture }: { picture: string | null }) {
  return (
    <div className="photo-thumb">
      {picture ? (
        <img src={picture} alt="" decoding="async" />
      ) : (
        <span className="help">{words.noPreview}</span>
      )}
    </div>
  );
}
