import { PHOTO_WIDTHS, type Print } from './photo.ts';

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
