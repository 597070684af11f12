/*
 * What an archive consists of, in this order: the manifest; the rows of each table; the files of the newsroom; and
 * last the checksums of all the others, in the form that `sha256sum --check` reads.
 */

export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';

const DATA = 'data/';
const FILES = 'files/';

/** The part that holds the rows of a table. @param table with its schema: `public.updates` */
export const dataPart = (table: string) => `${DATA}${table}.copy`;

/** The part that holds a file. @param path within the folder of files, with slashes */
export const filePart = (path: string) => `${FILES}${path}`;

export const isFilePart = (part: string) => part.startsWith(FILES);

/** Control characters, and the backslash, which checksums and other systems' paths read in their own way. */
const UNFIT = /[\p{Cc}\\]/u;

/** Whether a name stays inside the folder that it is unpacked into. */
export function isPart(name: string): boolean {
  if (name === MANIFEST || name === SUMS) return true;
  if (!name.startsWith(DATA) && !name.startsWith(FILES)) return false;
  if (UNFIT.test(name)) return false;
  return name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}
