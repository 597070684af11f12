import { useStore } from '@nanostores/react';
import type { FormPhoto } from '../../../lib/photos/form.ts';
import { deskPhotos as words } from '../../../lib/text/desk-photos.ts';
import type { Desk } from '../../stores/desk.ts';

/** A photo as readers will see it, drawn from what this device has of it. */
export function PhotoPreview({ desk, photo }: { desk: Desk; photo: FormPhoto | undefined }) {
  const statuses = useStore(desk.photos.$photos);
  const status = photo && statuses[photo.id];
  if (!status || status.step === 'refused' || status.step === 'missing') return null;
  const { picture, width, height } = status;
  return (
    <figure className="photo">
      {picture ? (
        <img src={picture} width={width ?? undefined} height={height ?? undefined} alt={photo.alt} />
      ) : (
        <p className="help">{words.noPreview}</p>
      )}
      {(photo.caption || photo.credit) && (
        <figcaption>
          {photo.caption} {photo.credit && <cite>{photo.credit}</cite>}
        </figcaption>
      )}
    </figure>
  );
}
