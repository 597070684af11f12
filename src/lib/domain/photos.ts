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

/** What may be chosen as a photo; what it really is, the server finds out. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'];

/** No print is higher: WebP ends at 16,383 pixels, and nobody scrolls through more of one photo. In pixels. */
const HIGHEST = 6_000;

type Size = { width: number; height: number };

/**
 * The sizes that a photo is printed in, ascending: every width of the list that is below its own, and its own where
 * that is the largest. It is never enlarged; a very high one is made narrower.
 */
export function printSizes(photo: Size): Size[] {
  const own = Math.min(photo.width, Math.max(1, Math.floor((HIGHEST * photo.width) / photo.height)));
  const widths = [...PHOTO_WIDTHS.filter((width) => width < own), Math.min(own, PHOTO_WIDTHS[2])];
  return [...new Set(widths)].map((width) => ({
    width,
    // A line of one pixel may be higher still: it is shortened.
    height: Math.min(HIGHEST, Math.max(1, Math.round((width * photo.height) / photo.width))),
  }));
}

/** The print that is asked for by a width of the list: the smallest that is as wide, or the largest. */
export function printFor<Sized extends Pick<Print, 'width'>>(
  prints: Sized[],
  width: number,
): Sized | undefined {
  return prints.find((print) => print.width >= width) ?? prints.at(-1);
}

export const LIBRARY_FILTERS = ['all', 'mine', 'unused', 'arriving', 'refused', 'removed'] as const;

export type LibraryFilter = (typeof LIBRARY_FILTERS)[number];
