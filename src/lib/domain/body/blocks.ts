import { LIMITS } from '../limits.ts';
import type { TablePreset } from './table-presets.ts';

/**
 * Content of an update or summary: a list of blocks, as the database stores and validates them. A body contains no
 * HTML, so it needs no sanitising.
 */
export type Run = { text: string; bold?: boolean; italic?: boolean; link?: string };

/** The formatting of a run. */
export type Style = Omit<Run, 'text'>;

export const sameStyle = (a: Style, b: Style): boolean =>
  !a.bold === !b.bold && !a.italic === !b.italic && a.link === b.link;

export type Paragraph = { type: 'paragraph'; runs: Run[] };
export type List = { type: 'list'; ordered?: boolean; items: Run[][] };
export type Quote = { type: 'quote'; text: string; attribution?: string };
export type Link = { type: 'link'; url: string; title: string; description?: string; site?: string };
/** How the cells of a column are aligned. */
export type Alignment = 'start' | 'center' | 'end';
/**
 * A table. The first row names the columns, and may be empty. All rows have the same number of cells. A cell is one
 * line, and may be empty.
 */
export type Table = {
  type: 'table';
  rows: Run[][][];
  /** One for each column. Without it all columns are aligned at the start. */
  align?: Alignment[];
  caption?: string;
  /** Who published the data. */
  source?: string;
  /** When the data was true: ISO 8601 in UTC with whole seconds, such as `2026-11-28T14:02:00Z`. */
  as_of?: string;
  preset?: TablePreset;
  /** CSV address (https) that the server reads the rows from while the coverage is live. */
  csv?: string;
  /** The address has not been readable for a while, and `as_of` is the last time that it was. The database sets it. */
  stale?: true;
};
/**
 * A place with its coordinates, in degrees with at most five decimals. `zoom` is the zoom level of its map. A photo
 * directly below it is its picture.
 */
export type Place = { type: 'map'; name: string; latitude: number; longitude: number; zoom?: number };
/**
 * A post of a social network, kept as text of ours, so that it survives its deletion there. Times are UTC with whole
 * seconds.
 */
export type Post = {
  type: 'post';
  url: string;
  author: string;
  /** Name of the account, with an `@` at its start. */
  handle?: string;
  network?: string;
  text: string;
  posted_at?: string;
  /** When the text was taken over. */
  quoted_at: string;
  /** When a check found that the post is no longer there. */
  gone_at?: string;
};
/**
 * A video or recording. It is at another site (media.ts), by the address of its page, or a file of the newsroom, by its
 * path (media-files.ts). Readers see its title and description, and press a button to load it. A photo directly above
 * it is its poster.
 */
export type Media = {
  type: 'media';
  url: string;
  title: string;
  /** Description or transcript, in lines. A published file needs one. */
  description?: string;
};
/** A photo by its id. Readers see it once it is ready. Summaries have no photos. */
export type Photo = { type: 'photo'; photo: string };

export type Block = Paragraph | List | Quote | Link | Table | Place | Post | Media | Photo;
export type Body = Block[];

/** Returns the ids of the photos of a body, in order. */
export function photoIds(body: Body): string[] {
  return body.flatMap((block) => (block.type === 'photo' ? [block.photo] : []));
}

/** Returns the tables of a body, in order. */
export const tablesOf = (body: Body): Table[] => body.filter((block) => block.type === 'table');

/** Returns the rows of a table with cells of plain text. */
export const plainRows = (cells: string[][]): Run[][][] =>
  cells.map((row) => row.map((text) => (text === '' ? [] : [{ text }])));

/** Returns the places of a body, in order. */
export const placesOf = (body: Body): Place[] => body.filter((block) => block.type === 'map');

/** Links that the database accepts: http or https, a host, no credentials, no unencoded characters. */
const LINK_URL = /^https?:\/\/[^/?#\s@]+([/?#]\S*)?$/i;
const FORBIDDEN_CHARACTERS = /[\p{Cc}"<>\\^`{|}]/u;

/** Returns the URL in the form that a link may have, percent-encoded where needed; null if it cannot be a link. */
export function normalizeUrl(text: string): string | null {
  return [text, URL.parse(text)?.href].find((candidate) => candidate && isLink(candidate)) ?? null;
}

function isLink(text: string): boolean {
  return text.length <= LIMITS.url && LINK_URL.test(text) && !FORBIDDEN_CHARACTERS.test(text);
}

/** Returns the URL of a CSV file that a table may be read from; null if it is not an https address. */
export function normalizeCsvUrl(text: string): string | null {
  const url = normalizeUrl(text);
  return url && URL.parse(url)?.protocol === 'https:' ? url.replace(/^https/i, 'https') : null;
}

/** Shortens a URL for display: host and path, without scheme, `www.` and trailing slash. */
export function displayUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
}

/** Returns the text of runs without their formatting. */
export const textOf = (runs: Run[]): string => runs.map((run) => run.text).join('');

/**
 * Returns the text of a block. List items, the rows of a table and the parts of a quote, link, post or media block
 * are on separate lines, the cells of a row are separated by tabs. The text of a map is the name of its place. A
 * photo has no text.
 */
export function blockText(block: Block): string {
  switch (block.type) {
    case 'paragraph':
      return textOf(block.runs);
    case 'list':
      return block.items.map(textOf).join('\n');
    case 'quote':
      return lines(block.text, block.attribution);
    case 'link':
      return lines(block.title, block.description, block.site);
    case 'media':
      return lines(block.title, block.description);
    case 'table':
      return lines(block.caption, block.rows.map(rowText).join('\n'), block.source);
    case 'map':
      return block.name;
    case 'post':
      return lines(block.text, postAuthor(block), block.network);
    case 'photo':
      return '';
  }
}

/** Returns the author of a post with the handle. */
export const postAuthor = ({ author, handle }: Pick<Post, 'author' | 'handle'>) =>
  handle ? `${author} ${handle}` : author;

/** Returns the text of a row with tabs between its cells. */
const rowText = (cells: Run[][]) => cells.map(textOf).join('\t');

const lines = (...parts: (string | undefined)[]) => parts.filter(Boolean).join('\n');

/** Returns a body as plain text with a blank line between blocks. The database counts and searches the same text. */
export function bodyText(body: Body): string {
  return body.map(blockText).filter(Boolean).join('\n\n');
}

/**
 * Returns the beginning of a body on one line, cut between words, for descriptions and lists.
 * @param maxLength maximum length in characters
 * @param photos photos of the body. Their alt texts are used if the body has no text.
 */
export function excerpt(
  body: Body,
  maxLength: number,
  photos: readonly { alt: string | null }[] = [],
): string {
  const text = bodyText(body) || photos.map(({ alt }) => alt ?? '').join(' ');
  return shorten(oneLine(text), maxLength);
}

/** Puts a text on one line, with single spaces between its words. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Shortens a line to at most `most` characters. Cuts between words and ends with an ellipsis. */
export function shorten(line: string, maxLength: number): string {
  const characters = [...line];
  if (characters.length <= maxLength) return line;
  const cut = characters.slice(0, maxLength - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/, '')}…`;
}

/** Returns a JSON text that is the same for equal values. The database sorts the keys of objects in its own way. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
