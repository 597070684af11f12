import { posix } from 'node:path';
import { type Kept, type Place, placeOf } from './places.ts';

/** Where a page stands, and what stands beside it. */
export type Standing = {
  coverage: Kept;
  /** Of the site, whose own addresses are told from others by it. */
  siteUrl: string;
  /** The page itself. */
  place: Place;
  /** The file of a photo's print for a width, if it is in the folder. */
  printOf(id: string, width: number): string | undefined;
};

/** Addresses that a page may be left by; what is none of these is no link in a file. */
const ANSWERED = ['http:', 'https:', 'mailto:', 'tel:'];

/** What becomes of a link: another address, one of the folder's pages with it, or none. */
export type Led = { href: string | undefined; place?: Place };

/**
 * A link as a file in a folder has it: to what stands in the folder from file to file, to all else by its whole
 * address. Nothing is left that a file would read against its own disk.
 */
export function lead(href: string, standing: Standing): Led {
  if (href.startsWith('#')) return { href };
  const url = URL.parse(href, new URL(standing.place.path, standing.siteUrl));
  if (!url || !ANSWERED.includes(url.protocol)) return { href: undefined };
  if (url.origin !== new URL(standing.siteUrl).origin) return { href: url.href };
  const place = placeOf(standing.coverage, url);
  if (place) return { href: `${between(standing.place.file, place.file)}${url.hash}`, place };
  return { href: printAt(url, standing) ?? url.href };
}

/** The way from one file of the folder to another. */
export const between = (from: string, to: string): string => posix.relative(posix.dirname(from), to);

/** The photo that an address of the site serves, as a file. */
export function printAt({ pathname }: URL, { place, printOf }: Standing): string | undefined {
  const [, photos, id = '', width = '', ...more] = pathname.split('/');
  if (photos !== 'photos' || more.length > 0) return undefined;
  const file = printOf(id, Number(width));
  return file && between(place.file, file);
}
