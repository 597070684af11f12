import { type DeskPhoto, deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';

/** How a photo stands, as this page knows it. */
export type PhotoStatus = {
  id: string;
  /** The id of the update that it was chosen for on this device; null where it was not. */
  update: string | null;
  /** `elsewhere`: another device or tab brings it. `missing`: nobody has it. */
  step: 'shrinking' | 'waiting' | 'sending' | 'checking' | 'ready' | 'refused' | 'elsewhere' | 'missing';
  /** Percent of its bytes that have gone out. */
  sent: number;
  /** What it waits for, when that is not its turn. */
  holdUp: 'line' | 'session' | null;
  /** Why it was refused: a code of the error catalogue. */
  refusal: string | null;
  /** An address of a picture to show. */
  picture: string | null;
  width: number | null;
  height: number | null;
};

/** One that was chosen just now. */
export const NEW: Omit<PhotoStatus, 'id' | 'update'> = {
  step: 'shrinking',
  sent: 0,
  holdUp: null,
  refusal: null,
  picture: null,
  width: null,
  height: null,
};

/** How a photo stands that this device does not bring. */
export function statusOf({ state, refusal, width, height, id }: DeskPhoto): Partial<PhotoStatus> {
  if (state === 'arriving') return { step: 'elsewhere' };
  if (state === 'removed') return { step: 'refused', refusal: 'removed' };
  if (state === 'refused') return { step: 'refused', refusal };
  return { step: 'ready', sent: 100, width, height, picture: pictureOf(id) };
}

/** Where the desk's picture of it is once it is ready. */
export const pictureOf = (id: string) => deskPhotoPath(id, PHOTO_WIDTHS[0]);
