import { type DeskPhoto, deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';

/** Status of a photo on this page. */
export type PhotoStatus = {
  id: string;
  /** Id of the update that it was chosen for on this device; null otherwise. */
  update: string | null;
  /** Name of the file that was chosen on this device. */
  name: string | null;
  /** `elsewhere`: another device or tab uploads it. `missing`: it does not exist. */
  step: 'shrinking' | 'waiting' | 'sending' | 'checking' | 'ready' | 'refused' | 'elsewhere' | 'missing';
  /** Uploaded percentage. */
  sent: number;
  /** Why the upload is paused. */
  pauseReason: 'line' | 'session' | null;
  /** Error code of a refused photo. */
  refusal: string | null;
  /** URL of a picture to show. */
  picture: string | null;
  width: number | null;
  height: number | null;
};

/** Status of a newly chosen photo. */
export const NEW_PHOTO: Omit<PhotoStatus, 'id' | 'update'> = {
  name: null,
  step: 'shrinking',
  sent: 0,
  pauseReason: null,
  refusal: null,
  picture: null,
  width: null,
  height: null,
};

/** Status of a photo that this device does not upload. */
export function photoStatusOf({ state, refusal_code, width, height, id }: DeskPhoto): Partial<PhotoStatus> {
  if (state === 'uploading') return { step: 'elsewhere' };
  if (state === 'removed') return { step: 'refused', refusal: 'removed' };
  if (state === 'refused') return { step: 'refused', refusal: refusal_code };
  return { step: 'ready', sent: 100, width, height, picture: pictureOf(id) };
}

/** URL of the desk's picture of a ready photo. */
export const pictureOf = (id: string) => deskPhotoPath(id, PHOTO_WIDTHS[0]);
