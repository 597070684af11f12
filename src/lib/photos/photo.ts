/** Widths that photos are served at, in pixels (specification, section 9). */
export const PHOTO_WIDTHS = [480, 960, 1600] as const;
export type PhotoWidth = (typeof PHOTO_WIDTHS)[number];

/** One rendering of a photo, in pixels; `bytes` is the size of its file. */
export type Print = { width: number; height: number; bytes: number };

/** A photo that readers may see. Its prints ascend; width and height are those of the largest. */
export type ReaderPhoto = {
  id: string;
  width: number;
  height: number;
  prints: Print[];
  /** The one that there is most of, `#rrggbb`: what stands in its place until it is there. */
  colour: string;
  alt: string;
  caption: string | null;
  credit: string | null;
};

/** `removed`: taken back by the newsroom, for good. */
export type PhotoState = 'arriving' | 'ready' | 'refused' | 'removed';

/** A photo as the desk sees it. Until it is ready it has no size and no prints, and may lack its alt text. */
export type DeskPhoto = Omit<ReaderPhoto, 'width' | 'height' | 'colour' | 'alt'> & {
  width: number | null;
  height: number | null;
  alt: string | null;
  state: PhotoState;
  /** Why it was refused: a code of the error catalogue. */
  refusal: string | null;
};

/** Where readers get a photo of a published update. A photo that is smaller is served as large as it is. */
export function photoPath(id: string, width: PhotoWidth): string {
  return `/photos/${id}/${width}`;
}

/** Where the desk gets a photo of its own. */
export function deskPhotoPath(id: string, width: PhotoWidth): string {
  return `/desk/photos/${id}/${width}`;
}
