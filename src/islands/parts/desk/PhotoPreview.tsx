import { type FormPhoto, photoContent } from '../../../lib/photos/form.ts';
import { deskPhotos as messages } from '../../../lib/text/desk-photos.ts';
import type { Desk } from '../../stores/desk.ts';
import { PhotoCaption } from '../PhotoCaption.tsx';
import { useShared } from './useShared.ts';

/** A photo as readers will see it, drawn from what this device has of it. */
export function PhotoPreview({ desk, photo }: { desk: Desk; photo: FormPhoto | undefined }) {
  const statuses = useShared(desk.photos.$photos);
  const status = photo && statuses[photo.id];
  if (!status || status.step === 'refused' || status.step === 'missing') return null;
  const { picture, width, height } = status;
  const content = photoContent(photo);
  return (
    <figure className="photo">
      {picture ? (
        <img src={picture} width={width ?? undefined} height={height ?? undefined} alt={photo.alt} />
      ) : (
        <p className="help">{messages.noPreview}</p>
      )}
      <PhotoCaption caption={content.caption} credit={content.credit} />
    </figure>
  );
}
