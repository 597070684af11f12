import { LIMITS } from '../limits.ts';

/**
 * The body of an update: blocks of text, as the database stores and checks them. There is no HTML in
 * it, so there is nothing to sanitise.
 */
export type Run = { text: string; bold?: boolean; italic?: boolean; link?: string };

export type Paragraph = { type: 'paragraph'; runs: Run[] };
export type List = { type: 'list'; ordered?: boolean; items: Run[][] };
export type Quote = { type: 'quote'; text: string; attribution?: string };
export type Link = { type: 'link'; url: string; title: string; description?: string; site?: string };
/** A photo by its id. Readers do not see it until it is ready; summaries have none. */
export type Photo = { type: 'photo'; photo: string };

export type Block = Paragraph | List | Quote | Link | Photo;
export type Body = Block[];

/** The photos of a body, in its order. */
export function photoIds(body: Body): string[] {
  return body.flatMap((block) => (block.type === 'photo' ? [block.photo] : []));
}

/** What the database takes as a link: http or https, a host without credentials, nothing unencoded. */
const ADDRESS = /^https?:\/\/[^/?#\s@]+([/?#]\S*)?$/i;
const FORBIDDEN = /[\p{Cc}"<>\\^`{|}]/u;

/** The address as a link may carry it, encoded where it must be; null when it cannot be one. */
export function linkAddress(text: string): string | null {
  return [text, URL.parse(text)?.href].find((candidate) => candidate && isLink(candidate)) ?? null;
}

function isLink(text: string): boolean {
  return text.length <= LIMITS.url && ADDRESS.test(text) && !FORBIDDEN.test(text);
}

/** An address as people read it: host and path, without scheme, `www.` and a last slash. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
}

const textOf = (runs: Run[]) => runs.map((run) => run.text).join('');

/** The words of one block; the items of a list and the parts of a quote or link stand on lines of their own. A photo has none. */
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
    case 'photo':
      return '';
  }
}

const lines = (...parts: (string | undefined)[]) => parts.filter(Boolean).join('\n');

/** A body as plain text, blocks parted by a blank line: what the database counts and searches too. */
export function bodyText(body: Body): string {
  return body.map(blockText).filter(Boolean).join('\n\n');
}

/**
 * The beginning of a body on one line, cut between words, for a description or a list. `most` is in characters.
 * @param photos those of the body: where it has no words, what they show is told
 */
export function excerpt(body: Body, most: number, photos: readonly { alt: string | null }[] = []): string {
  const text = bodyText(body) || photos.map(({ alt }) => alt ?? '').join(' ');
  return shorten(text.replace(/\s+/g, ' ').trim(), most);
}

/** A line cut between words to at most so many characters, with an ellipsis where something is missing. */
export function shorten(line: string, most: number): string {
  const characters = [...line];
  if (characters.length <= most) return line;
  const cut = characters.slice(0, most - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > most / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/, '')}…`;
}
