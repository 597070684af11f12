/** Widths in which photos are served, in pixels. */
export const PHOTO_WIDTHS = [480, 960, 1600] as const;
type PhotoWidth = (typeof PHOTO_WIDTHS)[number];

/** Width of a photo on the receipt of its tip, in pixels. A smaller photo is served in its own size. */
export const RECEIPT_PHOTO_WIDTH = PHOTO_WIDTHS[1];

/** One stored size of a photo in pixels. `bytes` is the size of its file. */
export type Rendition = { width: number; height: number; bytes: number };

/**
 * A photo that readers may see. Its `renditions` are in ascending order of width; `width` and `height` are those of the
 * largest.
 */
export type ReaderPhoto = {
  id: string;
  width: number;
  height: number;
  renditions: Rendition[];
  /** Dominant colour, `#rrggbb`. Fills the photo's place until it is loaded. */
  placeholder_colour: string;
  alt: string;
  caption: string | null;
  credit: string | null;
};

/** `removed`: permanently removed by the newsroom. */
export type PhotoState = 'uploading' | 'ready' | 'refused' | 'removed';

/** A photo as the desk sees it. Until it is ready, it has no size and no renditions and may lack its alt text. */
export type DeskPhoto = Omit<ReaderPhoto, 'width' | 'height' | 'placeholder_colour' | 'alt'> & {
  width: number | null;
  height: number | null;
  alt: string | null;
  state: PhotoState;
  /** Error code of the refusal. */
  refusal_code: string | null;
};

/** Path of a published photo. A smaller photo is served in its own size. */
export function photoPath(id: string, width: PhotoWidth): string {
  return `/photos/${id}/${width}`;
}

/** Path of a photo for staff. */
export function deskPhotoPath(id: string, width: PhotoWidth): string {
  return `/desk/photos/${id}/${width}`;
}

/** Types that the file input accepts. The server checks the content. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'];

/** Maximum height of a rendition in pixels. WebP ends at 16,383 pixels. */
export const MAX_PHOTO_HEIGHT = 6_000;

type Size = { width: number; height: number };

/**
 * Returns the sizes to convert a photo to, in ascending order: all standard widths below its own, and its own width
 * up to the largest standard width. Photos are never enlarged. Very high photos are made narrower.
 */
export function renditionSizes(photo: Size): Size[] {
  const own = Math.min(photo.width, Math.max(1, Math.floor((MAX_PHOTO_HEIGHT * photo.width) / photo.height)));
  const widths = [...PHOTO_WIDTHS.filter((width) => width < own), Math.min(own, PHOTO_WIDTHS[2])];
  return [...new Set(widths)].map((width) => ({
    width,
    // Rounding may exceed the maximum for photos that are one pixel wide.
    height: Math.min(MAX_PHOTO_HEIGHT, Math.max(1, Math.round((width * photo.height) / photo.width))),
  }));
}

/** Returns the rendition for a standard width: the smallest that is at least as wide, or else the largest. */
export function renditionFor<Sized extends Pick<Rendition, 'width'>>(
  renditions: Sized[],
  width: number,
): Sized | undefined {
  return renditions.find((rendition) => rendition.width >= width) ?? renditions.at(-1);
}

/** Largest number of photos side by side. */
const MAX_ACROSS = 3;

/** Splits photos that follow each other into rows of about the same number of photos. */
export function photoRows<Photo>(photos: Photo[]): Photo[][] {
  const rows = Math.ceil(photos.length / MAX_ACROSS);
  return Array.from({ length: rows }, (_, row) =>
    photos.slice(Math.ceil((row * photos.length) / rows), Math.ceil(((row + 1) * photos.length) / rows)),
  );
}

export const LIBRARY_FILTERS = ['all', 'mine', 'unused', 'uploading', 'refused', 'removed'] as const;

export type LibraryFilter = (typeof LIBRARY_FILTERS)[number];
